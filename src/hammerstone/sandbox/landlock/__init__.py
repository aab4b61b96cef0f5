"""One process that cannot make another, for places that allow neither namespaces nor cgroups.

    backend.py   the host's side: starts the server, hands it guests to make, cleans up
    server.py    a warm, unprivileged process that forks each guest; runs outside the confinement
    confine.py   what a forked guest does to itself before it reads its task
    rules.py     Landlock by system calls
    watch.py     what no kernel limit covers: temporary space, threads, share of a core
    build.py     rebuilds the system call filter that is shipped compiled
    gaps.py      what this backend cannot do, by the names of the probes

server, confine, rules and watch run under the sandbox's own Python: standard library only.
"""
