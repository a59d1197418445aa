"""The shortest run that says whether the library works on this machine."""
import group_cases
import group_programs


def run(context):
    context.each("launch_threads", group_programs.launch_threads)
    context.each("graph_run", group_programs.graph_run)
    context.each("copies", group_programs.copies)
    context.each("cpp_train", group_programs.cpp_train)
    context.each("record and replay", group_programs.record_replay)
    context.each("small_kernels", group_cases.one_case, "small_kernels", 20, False)
    context.each("small_kernels --fix", group_cases.one_case, "small_kernels", 20, True)
