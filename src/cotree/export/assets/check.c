/* Compares the exported mechanism with answers that Cotree has stored (answers.h), and says what a damaged model gives. */
#include "cotree_model.h"
#include "mechanism.h"
#include "answers.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
static void compare(const char *what, const double *here, const double *stored, int n) {
    double worst = 0, size = 1;
    for (int k = 0; k < n; k++) {
        if (fabs(stored[k]) > size) size = fabs(stored[k]);
        if (!(fabs(here[k] - stored[k]) <= worst)) worst = fabs(here[k] - stored[k]);
    }
    int good = worst <= CT_CHECK_TOLERANCE * size;
    printf("%-20s differs by %.1e of %.3g%s\n", what, worst, size, good ? "" : "   WRONG");
    failures += !good;
}
static void expect(const char *what, int good) {
    printf("%-20s %s\n", what, good ? "as expected" : "WRONG");
    failures += !good;
}

static unsigned char memory[CT_SIZE], second[CT_SIZE], saved[CT_SIZE];
static uint64_t copy[CT_MODEL_BYTES / 8];

int main(void) {
    double a[CT_NV + 1], M[CT_NV * CT_NV + 1], poses[12 * CT_N_BODIES], e[2], gap[2], q[CT_NQ + 1], v[CT_NV + 1];
    double inputs[CT_N_INPUTS + 1];
    ct_model *m = ct_init(memory, sizeof memory, CT_MECHANISM), *other = ct_init(second, sizeof second, CT_MECHANISM);
    if (!m || !other) return printf("the model is not usable\n"), 1;
    expect("sizes", ct_nq(m) == CT_NQ && ct_nv(m) == CT_NV && ct_size(CT_MECHANISM) == CT_SIZE);
    expect("accelerations", ct_forward_dynamics(m, ct_time(m), ct_q(m), ct_v(m), a) >= 0);
    compare("accelerations", a, answer_a, CT_NV);
    expect("inverse dynamics", ct_inverse_dynamics(m, ct_time(m), ct_q(m), ct_v(m), answer_a, a) == CT_OK);
    compare("inverse dynamics", a, answer_force, CT_NV);
    expect("mass matrix", ct_mass_matrix(m, ct_q(m), M) == CT_OK);
    compare("mass matrix", M, answer_mass, CT_NV * CT_NV);
    expect("poses", ct_poses(m, ct_q(m), poses) == CT_OK);
    compare("poses", poses, answer_poses, 12 * CT_N_BODIES);
    expect("energy", ct_energy(m, ct_q(m), ct_v(m), e) == CT_OK);
    compare("energy", e, answer_energy, 2);
    expect("steps", ct_step(m, CT_STEP, CT_CHECK_STEPS) == CT_OK);
    compare("coordinates", ct_q(m), answer_q, CT_NQ);
    compare("velocities", ct_v(m), answer_v, CT_NV);
    ct_save(m, saved, sizeof saved);
    for (int round = 0; round < 2; round++) {  /* driven, and the same again from the saved state in another instance */
        ct_model *it = round ? other : m;
        ct_restore(it, saved, sizeof saved);
        for (int i = 0; i < CT_CHECK_DRIVEN; i++) {
            for (int k = 0; k < CT_N_INPUTS; k++) inputs[k] = answer_start[k] + 0.1 * sin(0.01 * i + k);
            ct_set_inputs(it, inputs);
            if (ct_step(it, CT_STEP, 1)) failures++;
        }
        compare(round ? "driven, restored" : "driven", ct_q(it), answer_driven, CT_NQ);
    }
    memcpy(q, ct_q(m), sizeof(double) * CT_NQ);
    memcpy(v, ct_v(m), sizeof(double) * CT_NV);
    expect("state", ct_set_state(other, 0, q, v) >= 0 && ct_violation(other, 0, q, v, gap) == CT_OK && gap[0] < 1e-9);
    expect("loops", ct_close_loops(other, 0, q, v, NULL) >= 0);
    compare("closed", q, ct_q(m), CT_NQ);
    memcpy(copy, ct_mechanism, sizeof copy);
    copy[CT_MODEL_BYTES / 16] ^= 1;
    expect("damaged model", ct_check(copy, sizeof copy) == CT_DAMAGED && !ct_init(second, sizeof second, copy, sizeof copy));
    expect("cut-off model", ct_check(copy, 64) == CT_DAMAGED && ct_size(copy, 64) == 0);
    memcpy(copy, ct_mechanism, sizeof copy);
    copy[1] ^= 1;
    expect("other version", ct_check(copy, sizeof copy) == CT_FOREIGN);
    expect("small memory", !ct_init(second, 64, CT_MECHANISM));
    printf("scratch memory: %zu of %zu bytes\n%s\n", ct_scratch_used(m), ct_scratch_size(m), failures ? "WRONG" : "all as stored");
    return failures != 0;
}
