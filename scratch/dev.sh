export PATH=$PATH:/usr/local/cuda/bin CUDAARCHS=90a SGEMM_COMMIT=$1
mkdir -p $OUT/log
(cmake --preset cuda >$OUT/log/cfg 2>&1 && cmake --build --preset cuda --target sgemm_workbench sgemm_runner >$OUT/log/build 2>&1) || { tail -30 $OUT/log/build; }
date +%T
timeout 400 python3 test/device/sanitize.py --jobs 12 >$OUT/log/san.out 2>$OUT/log/san.err; echo sanitize rc $?; tail -40 $OUT/log/san.out; tail -5 $OUT/log/san.err
date +%T
cd $OUT && tar czf log.tgz log && rm -rf log
