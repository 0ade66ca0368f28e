# The project on a stock image, built, for a class that should not wait.
#
#     docker build -t sgemm_ladder .
#     docker run -it --rm -v "$PWD/mine:/sgemm_ladder/exercises/mine" sgemm_ladder
#     docker build --target tested .        runs all tests, too
#
# The second command leaves what you write in the folder mine beside you, where it outlives the container: make the folder
# first, so that it is yours. The user inside has the number 1000, as the first user of most machines.

# The packages: a layer that stays while the project's files change.
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
