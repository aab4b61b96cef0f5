"""Which cgroups are ours, read from what kernels of several kinds say, and v2's files."""

from pathlib import Path

import pytest

from hammerstone.sandbox.cgroups.tree import CgroupTree, hierarchies
from hammerstone.sandbox.cgroups.v2 import CgroupV2, enable_controllers


def _proc(folder: Path, cgroup: str, mountinfo: str) -> Path:
    (folder / "cgroup").write_text(cgroup)
    (folder / "mountinfo").write_text(mountinfo)
    return folder


def test_v1_with_a_hybrid_v2(tmp_path):
    proc = _proc(
        tmp_path,
        "4:memory:/jobs/7\n2:cpu,cpuacct:/\n0::/\n",
        "30 25 0:26 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
        "31 25 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
        "32 25 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
        "33 25 0:29 / /tmp rw - tmpfs tmpfs rw\n",
    )
    memory, cpu, unified = hierarchies(proc)
    assert memory.own == Path("/sys/fs/cgroup/memory/jobs/7") and memory.version == 1
    assert cpu.own == cpu.top and {"cpu", "cpuacct"} <= cpu.controllers
    assert unified.version == 2


def test_v2_inside_a_container_sees_its_own_part_as_the_top(tmp_path):
    proc = _proc(
        tmp_path,
        "0::/docker/abc/app\n",
        "32 25 0:28 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
    )
    (unified,) = hierarchies(proc)
    assert unified.own == Path("/sys/fs/cgroup/app")


@pytest.fixture
def v2(tmp_path) -> Path:
    """A folder with the files that the kernel would put into a cgroup v2."""
    folder = tmp_path / "slot"

    def fill(at: Path) -> None:
        (at / "memory.current").write_text("1000\n")
        (at / "memory.peak").write_text("5000\n")
        (at / "memory.events").write_text("low 0\nhigh 0\nmax 3\noom 1\noom_kill 2\n")
        (at / "cpu.stat").write_text("usage_usec 1500000\nuser_usec 1\n")

    original = Path.mkdir

    def mkdir(self: Path, *args, **kwargs) -> None:
        original(self, *args, **kwargs)
        fill(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "mkdir", mkdir)
        yield folder


def test_v2_limits_and_counters(v2):
    cgroup = CgroupV2(v2)
    cgroup.limit(256 << 20, 36, 0.5)
    assert (v2 / "memory.max").read_text() == str(256 << 20)
    assert (v2 / "pids.max").read_text() == "36"
    assert (v2 / "cpu.max").read_text() == "50000 100000"
    cgroup.limit(256 << 20, 36, None)
    assert (v2 / "cpu.max").read_text() == "max 100000"
    assert cgroup.peak_bytes() == 5000
    assert cgroup.cpu_s() == 1.5
    assert cgroup.oom_kills() == 2
    assert cgroup.reset_peak() == 1000
    assert cgroup.join_paths() == [str(v2 / "cgroup.procs")]
    cgroup.kill()
    assert (v2 / "cgroup.kill").read_text() == "1"


def test_v2_hands_out_the_controllers_step_by_step(tmp_path):
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours/cgroup.controllers").write_text("")
    assert enable_controllers(tmp_path, "ours") == tmp_path / "ours"
    for folder in (tmp_path, tmp_path / "ours"):
        assert (folder / "cgroup.subtree_control").read_text() == "+memory +pids +cpu"


def test_cgroups_of_dead_processes_are_swept_and_others_are_not(tmp_path):
    dead, alive, foreign = (
        tmp_path / name for name in ("4194303-aa-1", "1-aa-1", "somebody-elses-1")
    )
    for folder in (dead, alive, foreign):
        folder.mkdir()
    CgroupTree(1, {"memory": tmp_path}).sweep()
    assert not dead.exists() and alive.exists() and foreign.exists()


def test_everything_in_the_sandbox_has_less_weight_than_a_session(tmp_path):
    for version, parent, file in ((1, "cpu", "cpu.shares"), (2, "", "cpu.weight")):
        CgroupTree(version, {parent: tmp_path}).step_back()
        usual = {"cpu.shares": 1024, "cpu.weight": 100}[file]
        assert 0 < int((tmp_path / file).read_text()) <= usual / 2


def test_a_weight_that_may_not_be_set_is_no_refusal(tmp_path):
    CgroupTree(1, {"cpu": tmp_path / "gone"}).step_back()
