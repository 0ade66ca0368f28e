# The command line of simcc: nvcc's options, and those that nvcc passes on to the host compiler and to the linker. simcc reads this file,
# and read_command_line sets the variables below.
#
# nvcc gives most options a long name and a short one, and takes a value as the next word or after "=": --output-file k, --output-file=k,
# -o k. Here an option has one name: the short one, without dashes.

mode="link"           # link, library, compile, dlink, ptx, preprocess, precompile or toolkit
kind=                 # the end of the name of a file with device code
precompiled=${SIMCC_PRECOMPILED:-}
output=               # -o
output_folder=        # -odir
preprocessing=        # -E, -M or -MM
separate=             # set by -rdc=true: device code of several files is linked
fused=fast            # off with -fmad=false: a * b + c is rounded twice
dependencies=()       # options that make clang write a dependency file
dependency_target=()  # the options that name its target
dependency_file=      # -MF
verbose=              # -v
runs=                 # set by -run
run_arguments=()      # -run-args
passes_unknown=       # set by -forward-unknown-...
sources=()            # the files, in the order given
languages=()          # of each: cu, c++ or c; "object" if the linker alone reads it
both=()               # options for both halves
host=()               # options for the host half
link=()               # options for the linker
libraries=()          # -l options
named=()              # the architectures that options name: "90a"
naming=()             # these options

# nvcc's long names, and the short ones.
declare -A short_name=(
  [archive-options]=Xarchive [archiver-binary]=arbin [augment-host-linker-script]=aug-hls [brief-diagnostics]=brief-diag
  [clean-targets]=clean [compile-as-tools-patch]=astoolspatch [compile]=c [compiler-bindir]=ccbin [compiler-options]=Xcompiler [debug]=g
  [define-macro]=D [dependency-drive-prefix]=ddp [dependency-output]=MF [dependency-target-name]=MT [device-c]=dc [device-debug]=G
  [device-link]=dlink [device-w]=dw [disable-warnings]=w [display-error-number]=err-no [dlink-time-opt]=dlto [dont-use-profile]=noprof
  [drive-prefix]=dp [entries]=e [expt-extended-lambda]=extended-lambda [extensible-whole-program]=ewp
  [forward-unknown-to-host-compiler]=forward-unknown-opts [forward-unknown-to-host-linker]=forward-unknown-opts [generate-code]=gencode
  [generate-dependencies-with-compile]=MD [generate-dependencies]=M [generate-dependency-targets]=MP [generate-line-info]=lineinfo
  [generate-nonsystem-dependencies-with-compile]=MMD [generate-nonsystem-dependencies]=MM [gpu-architecture]=arch [gpu-code]=code
  [help]=h [host-linker-script]=hls [include-path]=I [input-drive-prefix]=idp [jump-table-density]=jtd [keep]=save-temps
  [libdevice-directory]=ldir [library-path]=L [library]=l [linker-options]=Xlinker [list-gpu-arch]=arch-ls [list-gpu-code]=code-ls
  [ltoir]=lto [machine]=m [no-device-link]=nodlink [no-display-error-number]=no-err-no [no-exceptions]=noeh
  [no-host-device-initializer-list]=nohdinitlist [no-host-device-move-forward]=nohdmoveforward [nvlink-options]=Xnvlink
  [objdir-as-tempdir]=objtemp [Ofast-compile]=Ofc [optimization-info]=opt-info [optimize]=O [options-file]=optf [output-directory]=odir
  [output-file]=o [pre-include]=include [preprocess]=E [profile]=pg [ptxas-options]=Xptxas [relocatable-device-code]=rdc
  [relocatable-link]=r [relocatable-ptx]=reloc-ptx [resource-usage]=res-usage [source-in-ptx]=src-in-ptx [system-include]=isystem
  [target-directory]=target-dir [threads]=t [undefine-macro]=U [verbose]=v [version]=V
)

# The options with a value.
declare -A has_value=()
for option in \
  D I L MF MQ MT Ofc U Xarchive Xcicc Xclang Xcompiler Xcudafe Xfatbin Xlinker Xnvlink Xptxas arbin arch brief-diag ccbin code compress-mode \
  cudadevrt cudart ddp default-stream device-entity-has-hidden-visibility device-stack-protector diag-error diag-suppress diag-warn \
  dopt dp e fdevice-time-trace fmad frandom-seed ftemplate-backtrace-limit ftemplate-depth ftz gencode hls idirafter idp include \
  iquote isystem jtd keep-dir l ldir m maxrregcount o odir opt-info optf prec-div prec-sqrt precompile rdc run-args sanitize \
  split-compile split-compile-extended static-global-template-stub std t target-dir time toolkit x; do
  has_value[$option]=1
done

# Those that nvcc 13 can list, up to the simulated GPU's.
ARCHITECTURES="75 80 86 87 88 89 90"

# name_architecture WORDS VALUE: notes the architecture for which an option compiles.
name_architecture() {
  naming+=("$1")
  if [[ $2 =~ ^(arch=)?(sm|compute)_([0-9]+[af]?)(,.*)?$ ]]; then
    named+=("${BASH_REMATCH[3]}")
  else
    named+=("$2")  # native, all
  fi
}

# split TEXT SEPARATORS: sets `words` to the parts of TEXT between these characters. Those within quotes or after a backslash do not separate.
split() {
  local rest=$1 word="" begun="" part plain="^[^\\\"'$2]+" quoted='^(([^\"]|\\.)*)"'
  words=()
  while [[ -n $rest ]]; do
    if [[ $2 == *"${rest:0:1}"* ]]; then
      if [[ -n $begun ]]; then words+=("$word"); fi
      word=""
      begun=""
      rest=${rest:1}
      continue
    fi
    begun=1
    if [[ $rest =~ $plain ]]; then
      part=${BASH_REMATCH[0]}
      rest=${rest:${#part}}
    elif [[ $rest == \\* ]]; then
      part=${rest:1:1}
      rest=${rest:2}
    elif [[ $rest == \'*\'* ]]; then
      rest=${rest:1}
      part=${rest%%\'*}
      rest=${rest#*\'}
    elif [[ ${rest:0:1} == \" && ${rest:1} =~ $quoted ]]; then
      rest=${rest:1+${#BASH_REMATCH[0]}}
      part=${BASH_REMATCH[1]//\\\"/\"}
      part=${part//\\\\/\\}
    else
      refuse "$1: a quote does not end"
    fi
    word+=$part
  done
  if [[ -n $begun ]]; then words+=("$word"); fi
}
BLANKS=$' \t\n'

# host_compiler_options LIST: takes options for the host compiler, separated by commas or blanks. Those about macros and headers are for both
# halves, because nvcc's host compiler preprocesses device code too.
host_compiler_options() {
  local words i
  split "$1" ",$BLANKS"
  for ((i = 0; i < ${#words[@]}; ++i)); do
    case ${words[i]} in
      -D | -U | -I | -isystem | -iquote | -idirafter | -include) both+=("${words[i]}" "${words[++i]:-}") ;;
      -D* | -U* | -I* | -isystem*) both+=("${words[i]}") ;;
      -fopenmp* | -pthread | -fsanitize=* | -pg) host+=("${words[i]}"); link+=("${words[i]}") ;;
      *) host+=("${words[i]}") ;;
    esac
  done
}

# linker_options LIST: takes options for the linker, separated by commas or blanks.
linker_options() {
  local words word
  split "$1" ",$BLANKS"
  for word in "${words[@]}"; do link+=(-Xlinker "$word"); done
}

# split_list NAME LIST: sets `words` to the parts of a list that is separated by commas. A definition with parentheses or quotes, and a folder
# with commas in its name, are one word.
split_list() {
  if [[ ($1 == [DU] && $2 == *[\(\"\']*) || -e $2 ]]; then
    words=("$2")
  else
    IFS=, read -r -a words <<<"$2"
  fi
}

# for_both_halves NAME LIST
for_both_halves() {
  local words word
  split_list "$1" "$2"
  for word in "${words[@]}"; do both+=("-$1" "$word"); done
}

# for_linker NAME LIST: takes folders (-L) and libraries (-l).
for_linker() {
  local words word
  split_list "$1" "$2"
  for word in "${words[@]}"; do
    if [[ $1 == L ]]; then link+=("-L$word"); else libraries+=("-l$word"); fi
  done
}

# add_source FILE LANGUAGE: takes a file of this language. If there is none, the end of its name tells.
add_source() {
  local file=$1 language=$2
  [[ -f $file ]] || refuse "no such file: $file"
  # clang names a file of "." twice, and its assembler stumbles. A name that begins with "-" needs the folder.
  if [[ $file == ./* ]]; then file=$(realpath -s --relative-to=. -- "$file"); fi
  if [[ $file == -* ]]; then file=$PWD/$file; fi
  case $file in
    *.o | *.obj | *.a | *.so | *.so.[0-9]*) language=object ;;
    *.cu) language=${language:-cu} ;;
    *.cpp | *.cc | *.cxx | *.c++ | *.cp | *.C) language=${language:-c++} ;;
    *.c) language=${language:-c} ;;
    *) [[ -n $language ]] || refuse "$file: what kind of file is this? (.cu, .cpp, .cc, .cxx, .c, .o, .a or .so; -x cu names the kind of all files)" ;;
  esac
  sources+=("$file")
  languages+=("$language")
}

# read_glued_option WORD: takes an option that begins with its name: -Ifolder, -Wall, -fno-exceptions.
read_glued_option() {
  case $1 in
    -D* | -U* | -I*) for_both_halves "${1:1:1}" "${1:2}" ;;
    -isystem*) for_both_halves isystem "${1#-isystem}" ;;
    -ffile-prefix-map=* | -fmacro-prefix-map=* | -fdebug-prefix-map=*) both+=("$1") ;;
    -Wl,*) link+=("$1") ;;
    -[Ll]*) for_linker "${1:1:1}" "${1:2}" ;;
    -t[0-9]*) ignore "$1" ;;
    -static*) link+=("$1") ;;
    -fopenmp* | -fsanitize=* | -stdlib=*) host+=("$1"); link+=("$1") ;;
    -o*) output=${1#-o} ;;
    -O* | -g* | -W* | -f* | -m*) host+=("$1") ;;
    *)
      [[ -n $passes_unknown ]] || refuse "unknown option $1 (see $program --help)"
      host+=("$1")
      ;;
  esac
}

# read_command_line WORD...
read_command_line() {
  local word words name value language="" file files=() of_files=() from_files
  split "${NVCC_PREPEND_FLAGS:-}" "$BLANKS"
  set -- "${words[@]}" "$@"
  split "${NVCC_APPEND_FLAGS:-}" "$BLANKS"
  set -- "$@" "${words[@]}"
  while [[ $# -gt 0 ]]; do
    word=$1
    if [[ $word != -* ]]; then
      files+=("$word")
      of_files+=("$language")
      shift
      continue
    fi

    # The option's name and value; `words` is what the user wrote.
    name=${word#-}
    name=${name#-}
    value=
    words=$word
    if [[ $name == ?*=* && -n ${short_name[${name%%=*}]:-} ]]; then
      name=${short_name[${name%%=*}]}=${name#*=}
    elif [[ -n $name && -n ${short_name[$name]:-} ]]; then
      name=${short_name[$name]}
    fi
    if [[ $name == ?*=* && -n ${has_value[${name%%=*}]:-} ]]; then
      value=${name#*=}
      name=${name%%=*}
    elif [[ -n $name && -n ${has_value[$name]:-} ]]; then
      [[ $# -ge 2 ]] || refuse "$word needs a value"
      value=$2
      words="$word $2"
      shift
    fi
    shift

    case $name in
      h) help; exit 0 ;;
      V) version; exit 0 ;;
      arch-ls) printf 'compute_%s\n' $ARCHITECTURES; exit 0 ;;
      code-ls) printf 'sm_%s\n' $ARCHITECTURES; exit 0 ;;
      covered) exec "$here/subset.py" covered ;;
      v) verbose=1; show_toolkit ;;
      optf)
        split_list optf "$value"
        from_files=()
        for file in "${words[@]}"; do
          [[ -f $file ]] || refuse "-optf $file: no such file"
          split "$(<"$file")" "$BLANKS"
          from_files+=("${words[@]}")
        done
        set -- "${from_files[@]}" "$@"
        ;;

      # What is made, and where.
      link) mode="link" ;;
      lib) mode=library ;;
      c) mode=compile ;;
      ptx | fatbin | cubin) mode=ptx; kind=$name ;;
      precompile) mode=precompile; precompiled=$value ;;
      toolkit) mode=toolkit; output=$value ;;
      E | M | MM) mode=preprocess; preprocessing=-$name ;;
      run) runs=1 ;;
      run-args) split "$value" ,; run_arguments+=("${words[@]}") ;;
      o) output=$value; [[ -n $output ]] || refuse "$word needs a name" ;;
      odir) output_folder=$value ;;
      MD | MMD | MP) dependencies+=("-$name") ;;
      MT | MQ) dependency_target+=("-$name" "$value") ;;
      MF) dependency_file=$value ;;

      # What both halves read.
      D | U | I | isystem | iquote | idirafter | include) for_both_halves "$name" "$value" ;;
      Xclang) both+=(-Xclang "$value") ;;
      std) both+=("-std=$value") ;;
      ftemplate-depth | ftemplate-backtrace-limit) both+=("-$name=$value") ;;
      noeh) host+=(-fno-exceptions) ;;
      fsigned-char | funsigned-char) both+=("-$name") ;;  # a char has the same sign in both halves
      x)
        case $value in
          cu | c++ | c)
            language=$value
            for file in "${!of_files[@]}"; do of_files[file]=${of_files[file]:-$value}; done
            ;;
          *) refuse "$words: the languages are cu, c++ and c" ;;
        esac
        ;;
      default-stream)
        case $value in
          legacy | null) ;;
          per-thread) both+=(-DCUDA_API_PER_THREAD_DEFAULT_STREAM) ;;
          *) refuse "$words: the default streams are legacy and per-thread" ;;
        esac
        ;;

      fmad)
        case $value in
          true) fused=fast ;;
          false) fused=off ;;
          *) refuse "$words: true or false" ;;
        esac
        ;;

      arch | gencode) name_architecture "$words" "$value" ;;

      dlink) mode=dlink ;;
      dc) mode=compile; separate=1 ;;
      dw) mode=compile; separate= ;;
      rdc)
        case $value in
          true) separate=1 ;;
          false) separate= ;;
          *) refuse "$words: true or false" ;;
        esac
        ;;

      # nvcc's options that are refused: to ignore them would give another program.
      optix-ir | lto)
        refuse "$words: there is no machine code for the simulated GPU; --ptx writes what it runs" ;;
      dryrun) refuse "$words: -v shows the commands while they run" ;;
      cuda | r) refuse "$words: $program has no such step" ;;

      # They let a GPU compute less exactly.
      ftz | prec-div | prec-sqrt | use_fast_math) computed_exactly+=("$words") ;;

      # nvcc's options that are harmless here.
      forward-unknown-opts) passes_unknown=1 ;;
      code | Xptxas | maxrregcount | ccbin | cudart | cudadevrt | t | Xnvlink | Xfatbin | Xarchive | arbin | ldir | target-dir | keep-dir | \
        opt-info | dopt | Ofc | jtd | diag-error | diag-suppress | diag-warn | brief-diag | compress-mode | device-stack-protector | \
        static-global-template-stub | device-entity-has-hidden-visibility | time | fdevice-time-trace | split-compile | \
        split-compile-extended | frandom-seed | Xcudafe | Xcicc | e | lineinfo | G | dlto | gen-opt-lto | \
        extra-device-vectorization | res-usage | expt-relaxed-constexpr | extended-lambda | src-in-ptx | save-temps | clean | objtemp | ddp | dp | hls | aug-hls | idp | sanitize | reloc-ptx | qpp-config | fdevice-syntax-only | \
        noprof | nodlink | restrict | ewp | no-compress | astoolspatch | err-no | no-err-no | nohdinitlist | nohdmoveforward | \
        allow-unsupported-compiler | use-local-env | force-cl-env-setup | no-align-double | keep-device-functions | jobserver | Wreorder | \
        Wdefault-stream-launch | Wmissing-launch-bounds | Wext-lambda-captures-this | Wno-deprecated-gpu-targets)
        ignore "$words" ;;
      m) [[ $value == 64 ]] || refuse "$words: host code has 64 bits" ;;
      m64) ignore "$words" ;;
      Werror)  # clang's warnings are others than nvcc's
        case ${1:-} in
          all-warnings | cross-execution-space-call | reorder | default-stream-launch | missing-launch-bounds | ext-lambda-captures-this | \
            deprecated-declarations) ignore "$words $1"; shift ;;
          *) host+=("$word") ;;
        esac
        ;;
      Wno-deprecated-declarations) host+=("-$name") ;;
      Werror=all-warnings | Werror=cross-execution-space-call | Werror=default-stream-launch | Werror=missing-launch-bounds | \
        Werror=ext-lambda-captures-this) ignore "$words" ;;

      # The linker's and the host compiler's.
      L | l) for_linker "$name" "$value" ;;
      Xlinker) linker_options "$value" ;;
      Xcompiler) host_compiler_options "$value" ;;
      shared) link+=(-shared) ;;
      rdynamic | s) link+=("-$name") ;;
      coverage) host+=(--coverage); link+=(--coverage) ;;
      pthread | pg) host+=("-$name"); link+=("-$name") ;;
      O) if [[ ${1:-} =~ ^[0-3]$ ]]; then host+=("-O$1"); shift; else host+=(-O); fi ;;
      O=*) host+=("-O${name#O=}") ;;
      g | w | pedantic | pipe) host+=("-$name") ;;
      *) read_glued_option "$word" ;;
    esac
  done
  for file in "${!files[@]}"; do add_source "${files[file]}" "${of_files[file]}"; done
}
