"""One process that cannot make another, for places that allow neither namespaces nor cgroups.

    backend.py   guests for tasks, from a server that has loaded what they import
    running.py   a running server, seen from the host; how it is started and housed
    server.py    a warm, unprivileged process that forks each guest; runs outside the confinement
    confine.py   what a forked guest does to itself before it reads its task
    rules.py     Landlock by system calls
    watch.py     what no kernel limit covers: temporary space, threads, share of a core

server, confine, rules and watch run under the sandbox's own Python: standard library only.
"""
