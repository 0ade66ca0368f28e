# An image of the project on stock Debian. Everything is built already, so that a class need not wait.
#
#     docker build -t sgemm_ladder .
#     docker run -it --rm -v "$PWD/mine:/sgemm_ladder/exercises/mine" sgemm_ladder
#     docker build --target tested .        also runs all tests
#
# The second command keeps your answers in the folder mine of your machine, so they outlive the container. Make the folder
# first, so that it belongs to you. The container's user has the number 1000, like the first user of most machines.

# The packages. Docker keeps this layer when the project's files change.
FROM debian:12 AS packages
ENV LANG=C.UTF-8
WORKDIR /sgemm_ladder
COPY cmake/setup.sh cmake/
RUN mkdir build && bash -c 'program=docker && . cmake/setup.sh && choose_build --build sim && install_packages'
RUN useradd --create-home --uid 1000 learner && chown --recursive learner /sgemm_ladder

FROM packages AS built
USER learner
COPY --chown=learner . .
RUN ./sgemm_runner 2
RUN ./sgemm_runner learn

FROM built AS tested
USER root
RUN ./run_tests

FROM built AS image
CMD ["bash"]
