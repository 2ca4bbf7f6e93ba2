"""What Numba's code asks of a runtime, and how it is called from C, as LLVM's text.

Arrays that kernels make for themselves lie in the scratch memory of the instance that was called, a field of its record: there
is no heap. It is used like a stack; a call finds it empty. Where it does not suffice, kernels fail as without memory, and the
call returns `FAILED`.
"""

from __future__ import annotations

import re

from cotree.engine.targets import Target

SHARED = "ct_scratch"  # the only symbol beside its own that an entry shares with others
FAILED = -(1 << 46)  # status of a kernel that raised: no room left
# 64 bytes are in front of an array, and at the beginning of the scratch memory.

# Words of the scratch memory: size, top, live, most; of the head of an array: count, size.
RUNTIME = """
@ct_scratch = linkonce_odr hidden {tls}global ptr null, align 8

define linkonce_odr hidden noalias ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) {{
  %s = load ptr, ptr @ct_scratch
  %topat = getelementptr i8, ptr %s, i64 8
  %top = load i64, ptr %topat
  %up = add i64 %size, 127
  %room = and i64 %up, -64
  %end = add i64 %top, %room
  %whole = load i64, ptr %s
  %fits = icmp ule i64 %end, %whole
  br i1 %fits, label %give, label %none
give:
  %m = getelementptr i8, ptr %s, i64 %top
  store i64 1, ptr %m
  %sizeat = getelementptr i8, ptr %m, i64 8
  store i64 %room, ptr %sizeat
  store i64 %end, ptr %topat
  %mostat = getelementptr i8, ptr %s, i64 24
  %most = load i64, ptr %mostat
  %more = icmp ugt i64 %end, %most
  %max = select i1 %more, i64 %end, i64 %most
  store i64 %max, ptr %mostat
  %liveat = getelementptr i8, ptr %s, i64 16
  %live = load i64, ptr %liveat
  %live1 = add i64 %live, 1
  store i64 %live1, ptr %liveat
  ret ptr %m
none:
  ret ptr null
}}
define linkonce_odr hidden ptr @NRT_MemInfo_data_fast(ptr %m) alwaysinline {{
  %d = getelementptr i8, ptr %m, i64 64
  ret ptr %d
}}
define linkonce_odr hidden void @NRT_incref(ptr %m) {{
  %null = icmp eq ptr %m, null
  br i1 %null, label %done, label %count
count:
  %c = load i64, ptr %m
  %c1 = add i64 %c, 1
  store i64 %c1, ptr %m
  br label %done
done:
  ret void
}}
define linkonce_odr hidden void @NRT_decref(ptr %m) {{
  %null = icmp eq ptr %m, null
  br i1 %null, label %done, label %count
count:
  %c = load i64, ptr %m
  %c1 = sub i64 %c, 1
  store i64 %c1, ptr %m
  %last = icmp eq i64 %c1, 0
  br i1 %last, label %drop, label %done
drop:
  %s = load ptr, ptr @ct_scratch
  %topat = getelementptr i8, ptr %s, i64 8
  %top = load i64, ptr %topat
  %sizeat = getelementptr i8, ptr %m, i64 8
  %room = load i64, ptr %sizeat
  %mi = ptrtoint ptr %m to i64
  %si = ptrtoint ptr %s to i64
  %begin = sub i64 %mi, %si
  %end = add i64 %begin, %room
  %atop = icmp eq i64 %end, %top
  %lower = select i1 %atop, i64 %begin, i64 %top
  %liveat = getelementptr i8, ptr %s, i64 16
  %live = load i64, ptr %liveat
  %live1 = sub i64 %live, 1
  store i64 %live1, ptr %liveat
  %empty = icmp eq i64 %live1, 0
  %next = select i1 %empty, i64 64, i64 %lower
  store i64 %next, ptr %topat
  br label %done
done:
  ret void
}}
"""

# around one in Numba's calling convention; `door`: it is called from outside, and its record says where scratch memory is
WRAPPER = """
define hidden i64 @{symbol}({given}) {{
  %r = alloca i64
  %e = alloca ptr
  {door}
  %s = call i32 @"{native}"(ptr %r, ptr %e, {given})
  %ok = icmp eq i32 %s, 0
  %x = load i64, ptr %r
  %y = select i1 %ok, i64 %x, i64 {failed}
  ret i64 %y
}}
"""
DOOR = """%fieldat = add i64 %a0, {offset}
  %field = inttoptr i64 %fieldat to ptr
  %at = load i64, ptr %field
  %scratch = inttoptr i64 %at to ptr
  %topat = getelementptr i8, ptr %scratch, i64 8
  store i64 64, ptr %topat
  %liveat = getelementptr i8, ptr %scratch, i64 16
  store i64 0, ptr %liveat
  store ptr %scratch, ptr @ct_scratch"""

FINISHED_FOR_HOST = (
    "NRT_incref",
    "NRT_decref",
    "NRT_MemInfo_data_fast",
    "nrt_atomic_add",
    "nrt_atomic_sub",
    "nrt_atomic_cas",
)


TEXTS = RUNTIME, WRAPPER, DOOR


def with_runtime(text: str, target: Target, layout: str) -> str:
    """Code of no particular machine, and with the runtime here in place of Numba's."""
    text = re.sub(r'target datalayout = "[^"]*"', f'target datalayout = "{layout}"', text)
    text = re.sub(r'target triple = "[^"]*"', f'target triple = "{target.triple}"', text)
    of_process = r"(@numba\.dynamic\.globals\S+ = linkonce )global ptr inttoptr \(i64 \d+ to ptr\)"
    text = re.sub(of_process, r"\1global ptr null", text)  # addresses of constants that were folded
    for name in FINISHED_FOR_HOST:
        text = re.sub(rf"define [^\n]*@{name}\([^\n]*\{{\n.*?\n\}}\n", "", text, count=1, flags=re.S)
    text = re.sub(r"declare [^\n]*@(NRT_\w+|nrt_\w+)\([^\n]*\n", "", text)
    text = re.sub(r"declare [^\n]*@llvm\.x86\.[^\n]*\n", "", text)
    text = text.replace("declare double @sqrt(double)", "declare double @llvm.sqrt.f64(double)")
    text = text.replace("@sqrt(", "@llvm.sqrt.f64(")
    return text + RUNTIME.format(tls="thread_local " if target.threads else "")


def wrapper(symbol: str, native: str, kinds: list[str], scratch: int | None) -> str:
    """The function that C calls; scratch: where in its record the address of the scratch memory is, None within."""
    given = ", ".join(f"{kind} %a{i}" for i, kind in enumerate(kinds))
    door = "" if scratch is None else DOOR.format(offset=scratch)
    return WRAPPER.format(symbol=symbol, native=native, given=given, door=door, failed=FAILED)
