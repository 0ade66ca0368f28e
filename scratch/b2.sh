export PATH=$PATH:/usr/local/cuda/bin CUDAARCHS=90a SGEMM_COMMIT=$1
cmake --preset cuda -DSGEMM_BUILD_BENCHMARKS=ON >/tmp/c.log 2>&1; cmake --build --preset cuda --target sgemm_bench >/tmp/b.log 2>&1 || tail -5 /tmp/b.log
B=$(ls build/cuda/bin/sgemm_bench)
$B --benchmark_list_tests | grep -n 1024 | head -3
$B --benchmark_filter='06_vector_float4/1024x1024x1024|02_coalesced/1024x1024x1024' --benchmark_repetitions=4 --benchmark_format=json 2>/dev/null | python3 -c "
import json,sys
for b in json.load(sys.stdin)['benchmarks']:
    print(b['name'], b.get('run_type'), b.get('repetition_index'), b.get('aggregate_name'), b.get('percent_of_cublas'))"
cp bench/baselines/nvidia-h200-labs.json $OUT/
timeout 200 python3 bench/record.py labs --output $OUT/labs.json 2>&1 | tail -5; ls -la $OUT
