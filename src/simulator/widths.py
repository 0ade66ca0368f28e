#!/usr/bin/python3 -IS
"""Gives the memory accesses of device code the widths that nvcc gives them.

usage: widths.py alignments IN.ll OUT.ll    on LLVM IR as clang's front end writes it
       widths.py copies IN.ll OUT.ll        on the same IR after LLVM's optimiser
       widths.py members IN.ptx OUT.ptx     on the PTX that LLVM makes of it

The width of an access decides its counts: requests, sectors, wavefronts. clang and nvcc both merge neighbouring
accesses as far as they know the alignment. So this program tells clang alignments:

  1. Shared variables. nvcc lays them out itself and so knows where each begins. Here each is aligned to the
     largest power of two, at most 16, that divides its size. Then one can follow the other without a gap,
     and a block needs no more shared memory than before. Dynamic shared memory begins at a multiple of 16.

  2. Copies of a class through a cast: float4 v = reinterpret_cast<float4*>(&s[i])[0]. If `s` is a variable
     or a member, clang trusts its declaration, an array of floats aligned to 4, more than the cast, and
     reads four floats. nvcc reads a float4, and on a device a wrong address is a fault. So if one side
     of the copy is surely an object of the class, the other side is taken as one too.

  3. Copies of a class of 16 bytes with an alignment of 16: float4 v = a[i]. nvcc reads all of it at once. ptxas then
     reads only the used members: two members of one half (x and y, or z and w) in 8 bytes, two of different halves
     in 4 bytes each, three or four in 16 bytes. LLVM would first split the copy into its members, and forget that
     they are neighbours. So the copy becomes one load, and ptxas's step is done to the PTX. It shows if an address
     is misaligned: v.x + v.w is read at any multiple of 4, as on an H200 (nvcc 13.0, sm_90a).

  4. Copies of a class, from memory to memory, that remain after the optimiser. LLVM does them 8 bytes at a time,
     or in a loop over bytes if they are large. nvcc uses the widest accesses that the alignment allows, at most
     16 bytes. The pieces are as wide as both sides allow. The code generator merges the pieces of the side that
     allows more.

All decisions use single instructions, which LLVM prints one per line, and the instructions that made their
operands. Instructions that are not recognised stay unchanged.
"""

import collections
import re
import sys

WIDEST = 16  # bytes of one access
LARGEST_COPY = 1024  # bytes of a copy without a loop

# ---------------------------------------------------------------------------- types

SCALAR_SIZES = {"float": 4, "double": 8, "half": 2, "bfloat": 2, "ptr": 8}
CLASS = r'%(?:[\w.$-]+|"[^"]+")'
CLASS_DEFINITION = re.compile(rf"^({CLASS}) = type (.*)$", re.M)


def split(text):
    """Splits at commas outside of brackets and quotes."""
    parts, depth, start, quoted = [], 0, 0, False
    for at, c in enumerate(text):
        if c == '"':
            quoted = not quoted
        elif quoted:
            pass
        elif c in "([{<":
            depth += 1
        elif c in ")]}>":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    parts.append(text[start:].strip())
    return parts


class Types:
    """The parts of the module's types. None stands for a type that is not understood."""

    def __init__(self, ir):
        self.classes = dict(CLASS_DEFINITION.findall(ir))

    def element(self, type_):
        """Returns (number, type) of an array's elements."""
        match = re.fullmatch(r"\[(\d+) x (.*)\]", type_)
        return (int(match[1]), match[2]) if match else None

    def fields(self, type_):
        """Returns the types of a class's fields; None for a packed class, whose fields have no alignment."""
        body = self.classes.get(type_, type_)
        return split(body[1:-1]) if re.fullmatch(r"\{ .* \}", body) else None

    def size_and_alignment(self, type_):
        """Returns both in bytes, in LLVM's layout of the type."""
        if type_ in SCALAR_SIZES:
            return SCALAR_SIZES[type_], SCALAR_SIZES[type_]
        integer = re.fullmatch(r"i(8|16|32|64)", type_)
        if integer:
            return int(integer[1]) // 8, int(integer[1]) // 8
        array = self.element(type_)
        if array:
            element = self.size_and_alignment(array[1])
            return element and (array[0] * element[0], element[1])
        fields = self.fields(type_)
        if not fields:
            return None
        end, alignment = 0, 1
        for field in fields:
            inner = self.size_and_alignment(field)
            if inner is None:
                return None
            end = -(-end // inner[1]) * inner[1] + inner[0]
            alignment = max(alignment, inner[1])
        return -(-end // alignment) * alignment, alignment


# ------------------------------------------------------- 1. alignment of shared variables

SHARED_VARIABLE = re.compile(
    r"^(@\S+ = .*\baddrspace\(3\) (?:global|constant) )(.*), align (\d+)(.*)$", re.M
)


def align_shared_variables(ir):
    types = Types(ir)

    def aligned(match):
        declaration, rest, alignment = match[1], match[2], int(match[3])
        type_ = re.sub(r" (undef|poison|zeroinitializer)(, comdat)?$", "", rest)
        size = types.size_and_alignment(type_)
        if size:
            # The lowest set bit is the largest power of two that divides the size.
            fits = WIDEST if size[0] == 0 else min(WIDEST, size[0] & -size[0])
            alignment = max(alignment, fits)
        return f"{declaration}{rest}, align {alignment}{match[4]}"

    return SHARED_VARIABLE.sub(aligned, ir)


# ----------------------------------------------------------------------- copies

VALUE = r"%[\w.$-]+"
ATTRIBUTES = r"(?: (?:noundef|nonnull|noalias|align \d+|dereferenceable(?:_or_null)?\(\d+\)))*"
POINTER = re.compile(rf"ptr(?P<space> addrspace\(\d+\))?(?P<attributes>{ATTRIBUTES}) (?P<operand>.*)")
COPY = re.compile(
    r"^  (?:tail )?call void @llvm\.mem(?:cpy|move)\.p\d+\.p\d+\.i64\((?P<arguments>.*), i1 false\)"
    r"(?P<metadata>(?: #\d+)?(?:, ![\w.]+ !\d+)*)$"
)


class Pointer:
    """A pointer that is an argument of a copy."""

    def __init__(self, argument):
        match = POINTER.fullmatch(argument)
        self.understood = match is not None
        if match:
            self.type = "ptr" + (match["space"] or "")
            self.operand = match["operand"]
            alignment = re.search(r"\balign (\d+)", match["attributes"])
            self.alignment = int(alignment[1]) if alignment else 1


def parse_copy(line):
    """Returns (to, from, bytes, metadata) if the line copies a known number of bytes. Volatile copies do not match."""
    match = COPY.match(line)
    if not match:
        return None
    arguments = split(match["arguments"])
    if len(arguments) != 3 or not re.fullmatch(r"i64 \d+", arguments[2]):
        return None
    to, source = Pointer(arguments[0]), Pointer(arguments[1])
    if not to.understood or not source.understood:
        return None
    return to, source, int(arguments[2][4:]), match["metadata"]


# --------------------------------------------------- 2. copies of a class through a cast

FUNCTION_BODY = re.compile(r"^define .*?^}", re.M | re.S)
CLASS_COPY = re.compile(r"^  .*@llvm\.memcpy\..*!tbaa\.struct.*$", re.M)
DEFINITION = re.compile(rf"^  ({VALUE}) = (.*)$", re.M)
LOCAL = re.compile(rf"alloca ({CLASS}), align (\d+)")
ELEMENT_BEHIND = re.compile(rf"getelementptr (?:inbounds )?[^,]*, ptr ({VALUE}), i\d+ [^ ,]+(?:, !.*)?$")


class Function:
    """The instructions that made the values of one function, to find the origin of a pointer."""

    def __init__(self, local_alignment, body):
        self.local_alignment = local_alignment
        self.made_by = dict(DEFINITION.findall(body))

    def class_alignment(self, pointer):
        """Returns the alignment of the class of `pointer`'s object, or None if it is not surely known.

        It is known for a local variable or temporary. It is also known for a C++ pointer or reference, which is
        loaded from its place, and for a fixed number of elements after it. Then the type tells the alignment:
        the copy has the type's alignment, and the result is 0.
        """
        made_by = self.made_by.get(pointer, "")
        local = LOCAL.match(made_by)
        if local:
            return self.local_alignment[local[1]]
        if made_by.startswith("load ptr,"):
            return 0
        behind = ELEMENT_BEHIND.match(made_by)
        if behind:
            return 0 if self.class_alignment(behind[1]) == 0 else None
        return None


def align_class_copies(ir):
    # The smallest alignment of all local variables of a class: an alignas() on one of them does not belong to the class.
    local_alignment = {}
    for name, alignment in re.findall(rf"= alloca ({CLASS}), align (\d+)", ir):
        local_alignment[name] = min(int(alignment), local_alignment.get(name, int(alignment)))

    def aligned(body):
        # memcpy() in the source has no !tbaa.struct, and guarantees no alignment.
        if "!tbaa.struct" not in body[0]:
            return body[0]
        function = Function(local_alignment, body[0])
        return CLASS_COPY.sub(lambda line: with_class_alignment(function, line[0]), body[0])

    return FUNCTION_BODY.sub(aligned, ir)


def with_class_alignment(function, line):
    copy = parse_copy(line)
    if not copy:
        return line
    to, source, size, _ = copy
    for one, other in ((to, source), (source, to)):
        alignment = function.class_alignment(one.operand)
        if alignment == 0:
            alignment = one.alignment
        # A base class may begin at the same place as a local variable of a derived class. The sizes tell them apart.
        if not alignment or size % alignment != 0 or other.alignment >= alignment:
            continue
        if function.class_alignment(other.operand) is None:
            old = f"ptr align {other.alignment} {other.operand},"
            return line.replace(old, f"ptr align {alignment} {other.operand},")
    return line


# ------------------------------------------------- 3. copies of 16 bytes, and their members

TYPE_NODE = re.compile(r'^(!\d+) = (?:distinct )?!\{!"([^"]+)", !\d+, i64 0\}$', re.M)
ACCESS_NODE = re.compile(r"^(!\d+) = (?:distinct )?!\{(!\d+), !\d+, i64 \d+(?:, i64 1)?\}$", re.M)
FIELDS_NODE = re.compile(r"^(!\d+) = (?:distinct )?!\{(i64 0, i64 \d+, !.*)\}$", re.M)
FIELD = re.compile(r"i64 \d+, i64 (\d+), (!\d+)")


def vector_types(ir):
    """Returns the 16-byte vector of the fields of each !tbaa.struct node whose fields all have 4 or all 8 bytes."""
    names = dict(TYPE_NODE.findall(ir))
    accessed = dict(ACCESS_NODE.findall(ir))
    vectors = {}
    for node, fields in FIELDS_NODE.findall(ir):
        fields = FIELD.findall(fields)
        sizes = {int(size) for size, _ in fields}
        types = {names.get(accessed.get(type_)) for _, type_ in fields}
        if sizes == {4}:
            vectors[node] = "<4 x float>" if types == {"float"} else "<4 x i32>"
        elif sizes == {8}:
            vectors[node] = "<2 x double>" if types == {"double"} else "<2 x i64>"
    return vectors


def load_classes_whole(ir):
    if "!tbaa.struct" not in ir:
        return ir
    vectors = vector_types(ir)
    made = 0

    def loaded(line, function):
        nonlocal made
        copy = parse_copy(line)
        vector = vectors.get(re.search(r"!tbaa\.struct (!\d+)", line)[1])
        if not copy or not vector:
            return line
        to, source, size, metadata = copy
        made_by = function.made_by.get(source.operand)
        is_local = made_by is None or LOCAL.match(made_by)  # None: a parameter
        if size != WIDEST or source.alignment < WIDEST or is_local:
            return line
        place = re.search(r", !dbg !\d+", metadata)
        place = place[0] if place else ""
        name = f"%whole.{made}"
        made += 1
        return (
            f"  {name} = load {vector}, {source.type} {source.operand}, align {source.alignment}{place}\n"
            f"  store {vector} {name}, {to.type} {to.operand}, align {to.alignment}{place}"
        )

    def with_loads(body):
        if "!tbaa.struct" not in body[0]:
            return body[0]
        function = Function({}, body[0])
        return CLASS_COPY.sub(lambda line: loaded(line[0], function), body[0])

    return FUNCTION_BODY.sub(with_loads, ir)


PTX_FUNCTION = re.compile(r"^\{.*?^\}", re.M | re.S)
INLINE_ASSEMBLY = re.compile(r"// begin inline asm.*?// end inline asm", re.S)
VECTOR_LOAD = re.compile(
    r"^\t(?P<head>ld(?:\.(?:global|shared|nc))*)\.v(?P<count>[24])\.(?P<type>[a-z](?P<bits>32|64))"
    r" \t\{(?P<registers>[^}]*)\}, \[(?P<base>[^]+]+)(?:\+(?P<offset>-?\d+))?\];$",
    re.M,
)
REGISTER = re.compile(r"%\w+")


def read_what_is_used(ptx):
    def narrowed(load, uses):
        registers = load["registers"].split(", ")
        bytes_ = int(load["bits"]) // 8
        used = [i for i, register in enumerate(registers) if uses[register] > 1]
        if not used or len(used) > 2 or len(used) == len(registers):
            return load[0]
        offset = int(load["offset"] or 0)

        def piece(first, count):
            at = offset + first * bytes_
            address = load["base"] + (f"+{at}" if at else "")
            if count == 1:
                return f"\t{load['head']}.{load['type']} \t{registers[first]}, [{address}];"
            both = ", ".join(registers[first : first + count])
            return f"\t{load['head']}.v{count}.{load['type']} \t{{{both}}}, [{address}];"

        if len(used) == 2 and used[0] // 2 == used[1] // 2:
            return piece(used[0], 2)
        # A load may overwrite the address's register: that load comes last.
        used.sort(key=lambda i: registers[i] == load["base"])
        return "\n".join(piece(i, 1) for i in used)

    def with_loads(body):
        if not VECTOR_LOAD.search(body[0]):
            return body[0]
        uses = collections.Counter(REGISTER.findall(body[0]))
        written = [at.span() for at in INLINE_ASSEMBLY.finditer(body[0])]
        return VECTOR_LOAD.sub(
            lambda load: load[0]
            if any(first <= load.start() < last for first, last in written)
            else narrowed(load, uses),
            body[0],
        )

    return PTX_FUNCTION.sub(with_loads, ptx)


# ----------------------------------------------------- 4. copies from memory to memory

PIECES = {16: "<4 x float>", 8: "i64", 4: "i32"}


def copy_in_pieces(ir):
    if "call void @llvm.mem" not in ir:
        return ir
    made = 0
    lines = []
    for line in ir.split("\n"):
        copy = parse_copy(line) if "@llvm.mem" in line else None
        if not copy:
            lines.append(line)
            continue
        to, source, size, metadata = copy
        width = min(to.alignment, source.alignment, WIDEST)
        if width not in PIECES or size % width != 0 or size > LARGEST_COPY:
            lines.append(line)
            continue
        place = re.search(r", !dbg !\d+", metadata)
        place = place[0] if place else ""
        loads, stores = [], []  # all loads come first, as memmove() needs
        for offset in range(0, size, width):
            name = f"%copy.{made}"
            made += 1
            pointers = []
            for pointer, end in ((source, "from"), (to, "to")):
                loads.append(
                    f"  {name}.{end} = getelementptr inbounds i8, {pointer.type} {pointer.operand}, i64 {offset}{place}"
                )
                alignment = min(pointer.alignment, offset & -offset or pointer.alignment)
                pointers.append(f"{pointer.type} {name}.{end}, align {alignment}{place}")
            loads.append(f"  {name} = load {PIECES[width]}, {pointers[0]}")
            stores.append(f"  store {PIECES[width]} {name}, {pointers[1]}")
        lines += loads + stores
    return "\n".join(lines)


def main():
    steps = {
        "alignments": lambda ir: load_classes_whole(align_class_copies(align_shared_variables(ir))),
        "copies": copy_in_pieces,
        "members": read_what_is_used,
    }
    if len(sys.argv) != 4 or sys.argv[1] not in steps:
        sys.exit(f"usage: widths.py {'|'.join(steps)} IN OUT")
    # Strings of the source may contain bytes that are not UTF-8; LLVM prints the bytes of names unchanged.
    with open(sys.argv[2], encoding="latin-1") as file:
        ir = file.read()
    with open(sys.argv[3], "w", encoding="latin-1") as file:
        file.write(steps[sys.argv[1]](ir))


if __name__ == "__main__":
    main()
