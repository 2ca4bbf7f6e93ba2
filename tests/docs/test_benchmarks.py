"""The page of benchmarks is that of the stored figures, and says where Cotree loses."""

from benchmarks.beside import page
from benchmarks.beside.measure import TASKS, cpu_time
from benchmarks.beside.rounds import merged

ABOUT = {"date": "2026-01-01", "processor": "x", "cores": 2, "rounds": 2, "load": 9.0, "versions": {"cotree": "1"}}
FOUND = {
    "forward dynamics": {
        "about": ABOUT,
        "cotree": {"7": [2.0, 3.0], "30": [4.0, 5.0]},
        "pinocchio": {"7": [1.0, 3.0], "30": [8.0, 9.0]},
    },
    "heavy top": {
        "about": ABOUT,
        "cotree": {"rows": [{"setting": "", "error": 1e-5, "seconds": [0.2, 0.3]}]},
        "exudyn": {"rows": [{"setting": "", "error": 1e-5, "seconds": [0.1, 0.3]}]},
    },
    "many runs, four-bar": {
        "about": ABOUT,
        "cotree": {"setting": "a", "error": 1e-5, "seconds": [0.02, 0.03], "runs": 16},
        "mujoco": {"setting": "b", "error": 1e-3, "seconds": [0.01, 0.03], "runs": 16},
        "mjbatch": {"setting": "c", "error": 1e-5, "seconds": [0.015, 0.03], "runs": 16},
    },
    "start": {
        "about": ABOUT,
        "cotree": {"import": {"seconds": [0.1, 0.2], "megabytes": [90.0, 91.0]}},
        "mujoco": {"import": {"seconds": [0.5, 0.6], "megabytes": [50.0, 51.0]}},
    },
}


def test_the_page_is_current():
    text = page.PAGE.read_text(encoding="utf-8")
    picture = text[text.index("\n![") : text.index("## ")]
    assert text.replace(picture, "\n", 1) == page.page(page.stored()), "run python -m benchmarks.beside.page"
    assert (page.FIGURES / "benchmarks.png").stat().st_size > 10_000


def test_losses_are_listed():
    text = page.page(FOUND)
    losses = text.split("## Where Cotree loses\n")[1].strip().splitlines()
    assert losses == [
        "- forward dynamics: Pinocchio is quicker for 7 joints",
        "- heavy top within 0.01 m: Exudyn is quicker",
        "- heavy top within 0.0001 m: Exudyn is quicker",
        "- many runs of four-bar: mjbatch is quicker",
        "- importing takes fewer megabytes with MuJoCo",
    ]
    assert "| 30 | 4 (5) | 8 (9), ×2.0 |" in text
    assert "| 1e-06 m | not reached | not reached |" in text
    assert "| four-bar | MuJoCo rollout | b | 1.0e-03 m (not reached) | 10 (30) ms | ×0.5 |" in text
    assert "busy with other work (load 9)" in text
    better = {"forward dynamics": {k: v for k, v in FOUND["forward dynamics"].items() if k != "pinocchio"}}
    assert "In none of these figures." in page.page(better)


def test_rounds_are_merged():
    a = {"rows": [{"setting": "s", "error": 0.5, "seconds": 3.0}], "x": {"7": 1.0}}
    b = {"rows": [{"setting": "s", "error": 0.5, "seconds": 2.0}], "x": {"7": 4.0}}
    assert merged([a, b]) == {"rows": [{"setting": "s", "error": 0.5, "seconds": [2.0, 3.0]}], "x": {"7": [1.0, 4.0]}}


def test_every_task_has_its_programs():
    assert all(programs[0] == "cotree" for _, _, programs in TASKS.values())
    assert cpu_time(lambda: sum(range(1000)), seconds=0.001) > 0.1


def test_a_plot_of_all(tmp_path):
    page.plot(FOUND, tmp_path / "x.png")
    assert (tmp_path / "x.png").stat().st_size > 5_000
