export PATH=$PATH:/usr/local/cuda/bin CUDAARCHS=90a SGEMM_COMMIT=$1
mkdir -p $OUT/log
mkdir -p /tmp/b && cd test/data/bugs
ls | xargs -P16 -I{} bash -c '[ -f {}/wrong.cu ] && nvcc -std=c++17 -arch=sm_90a -lineinfo -w {}/wrong.cu -o /tmp/b/{} >/dev/null 2>&1'
one() { n=$1; t=$2; timeout 25 compute-sanitizer --tool $t --error-exitcode 86 --print-limit 3 /tmp/b/$n >/tmp/b/$n.$t.log 2>&1; rc=$?; s=$(grep -m1 "ERROR SUMMARY\|RACECHECK SUMMARY" /tmp/b/$n.$t.log | sed "s/=* *//"); echo "$n $t $rc $s"; }
export -f one
for n in $(ls /tmp/b); do for t in memcheck racecheck initcheck synccheck; do echo $n $t; done; done | xargs -P12 -L1 bash -c 'one $0 $1' > $OUT/log/bugs.txt
cd - >/dev/null
sort $OUT/log/bugs.txt | awk '{n=$1;t=$2;rc=$3; r[n]=r[n] " " substr(t,1,1) ":" rc} END {for (n in r) print n r[n]}' | sort
date +%T
