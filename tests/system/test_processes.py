"""Systems and runs go to other processes and come back, also from a process that has used Numba's threads."""

import subprocess
import sys
import textwrap

SCRIPT = textwrap.dedent("""
    import multiprocessing as mp
    from concurrent.futures import ProcessPoolExecutor
    import sys

    import cotree as ct
    from cotree.formulations.odca.division import division, use_threads


    def run_of(system):
        return ct.simulate(system, 0.02, output=2, progress=False)


    def accelerations(system):
        return ct.forward_dynamics(system, system.q0, formulation="odca").v_dot.tobytes(), division(system).threads


    def inherited():
        fresh = ct.gallery.n_four_bar(200).compile()
        use_threads(fresh, 2)
        return accelerations(large), accelerations(fresh)


    if __name__ == "__main__":
        small, large = ct.gallery.four_bar().compile(), ct.gallery.n_four_bar(200).compile()
        use_threads(large, 2)
        expected = accelerations(large)
        assert expected[1] == 2
        here = run_of(small)
        for method in sys.argv[1:]:
            with ProcessPoolExecutor(1, mp_context=mp.get_context(method)) as pool:
                there = pool.submit(run_of, small).result(timeout=600)
                assert there.q.tobytes() == here.q.tobytes(), method
                assert there.resume(0.03).q.tobytes() == here.resume(0.03).q.tobytes(), method
                assert pool.submit(accelerations, large).result(timeout=600)[0] == expected[0], method
                if method == "fork":
                    found = pool.submit(inherited).result(timeout=600)
                    assert found == ((expected[0], 1), (expected[0], 1))
        assert accelerations(large) == expected
        print("all right")
""")


def test_systems_and_runs_in_other_processes(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    methods = ["spawn"] if sys.platform == "win32" else ["fork", "forkserver", "spawn"]
    done = subprocess.run(
        [sys.executable, str(script), *methods], capture_output=True, text=True, timeout=1800, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "all right"), done.stderr
