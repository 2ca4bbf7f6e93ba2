/* The functions of cotree_model.h around the compiled kernels. */
#include "cotree_model.h"
#include "entries.h"
#include <math.h>
#include <string.h>

typedef int64_t entry(int64_t here, double t, int64_t q, int64_t v, int64_t w);
#define DECLARE(name) extern entry name;
CT_DOORS(DECLARE)
CT_ENTRIES(DECLARE)
#define ADDRESS(name) (entry *)name,
static entry *const entries[] = {CT_ENTRIES(ADDRESS) NULL};
enum { ENTRIES = sizeof entries / sizeof *entries - 1, ALIGN = 64 };

struct ct_model {
    const uint64_t *data;
    uint64_t pad[7];
    unsigned char image[];
};
#define HEAD(m, name) ((m)->data[CT_HEAD_##name])
#define AT(m, name) ((void *)((m)->image + HEAD(m, name)))
#define WORD(p) ((int64_t)(uintptr_t)(p))
#define CALL(m, door, t, q, v, w) ct_cotree_export_model_##door(WORD(AT(m, model)), t, WORD(q), WORD(v), WORD(w))

static int status_of(int64_t s) {
    if (s >= 0) return (int)s;
    if (s == -((int64_t)1 << 41)) return CT_NOT_CLOSED;
    if (s == -((int64_t)1 << 46)) return CT_NO_ROOM;
    return s < -((int64_t)1 << 39) ? CT_FAILED : CT_NO_INERTIA;
}
static int status_of_step(int64_t s) {
    if (s < 0) return status_of(s);
    return s == 0 ? CT_OK : s == 3 ? CT_NOT_FINITE : s == 4 ? CT_NOT_CLOSED : CT_FAILED;
}
const char *ct_status_text(int status) {
    static const char *const texts[] = {
        "done", "the state became infinite or NaN", "the loops could not be closed", "a coordinate has no inertia here",
        "the scratch memory does not suffice", "the equations of a step could not be solved",
        "the model is damaged", "the model is of another version", "an argument is not in its range"};
    return status > 0 ? texts[0] : status < CT_ARGUMENT ? "unknown" : texts[-status];
}

/* Lists behind the head: inputs, pairs of words that point into the image, pairs that hold entries, the image. */
static const uint64_t *inputs_of(const uint64_t *d) { return d + CT_HEAD_WORDS; }
static const uint64_t *inside_of(const uint64_t *d) { return inputs_of(d) + d[CT_HEAD_n_inputs]; }
static const uint64_t *outside_of(const uint64_t *d) { return inside_of(d) + 2 * d[CT_HEAD_n_inside]; }
static const uint64_t *image_of(const uint64_t *d) { return outside_of(d) + 2 * d[CT_HEAD_n_outside]; }

static int lists_fit(const uint64_t *d) {
    uint64_t size = d[CT_HEAD_size], most = d[CT_HEAD_words];
    if (size % 8 || size > (uint64_t)1 << 40 || d[CT_HEAD_stored] > size / 8) return 0;
    if (d[CT_HEAD_n_inputs] > most || d[CT_HEAD_n_inside] > most || d[CT_HEAD_n_outside] > most) return 0;
    if (CT_HEAD_WORDS + d[CT_HEAD_n_inputs] + 2 * d[CT_HEAD_n_inside] + 2 * d[CT_HEAD_n_outside] + d[CT_HEAD_stored] != most) return 0;
    for (uint64_t k = 0; k < d[CT_HEAD_n_inputs]; k++) if (inputs_of(d)[k] + 8 > size) return 0;
    for (uint64_t k = 0; k < d[CT_HEAD_n_inside]; k++)
        if (inside_of(d)[2 * k] >= size / 8 || inside_of(d)[2 * k + 1] >= size) return 0;
    for (uint64_t k = 0; k < d[CT_HEAD_n_outside]; k++)
        if (outside_of(d)[2 * k] >= size / 8 || outside_of(d)[2 * k + 1] >= ENTRIES) return 0;
    for (int k = CT_HEAD_FIRST_PLACE; k < CT_HEAD_WORDS; k++) if (d[k] >= size) return 0;
    return 1;
}
int ct_check(const void *data, size_t bytes) {
    const uint64_t *d = data;
    uint64_t sum = 0xcbf29ce484222325u;
    if (!data || (uintptr_t)data % 8 || bytes < 8 * CT_HEAD_WORDS || d[CT_HEAD_magic] != CT_MAGIC) return CT_DAMAGED;
    if (d[CT_HEAD_words] != bytes / 8 || bytes % 8) return CT_DAMAGED;
    for (size_t k = CT_HEAD_sum + 1; k < bytes / 8; k++) sum = (sum ^ d[k]) * 0x100000001b3u;
    if (sum != d[CT_HEAD_sum]) return CT_DAMAGED;
    if (d[CT_HEAD_version] != CT_VERSION) return CT_FOREIGN;
    return lists_fit(d) ? CT_OK : CT_DAMAGED;
}
size_t ct_size(const void *data, size_t bytes) {
    return ct_check(data, bytes) ? 0 : (size_t)(sizeof(ct_model) + ((const uint64_t *)data)[CT_HEAD_size] + ALIGN);
}

static void put_addresses(ct_model *m) {
    uint64_t *words = (uint64_t *)(void *)m->image;
    const uint64_t *d = m->data, *inside = inside_of(d), *outside = outside_of(d);
    for (uint64_t k = 0; k < d[CT_HEAD_n_inside]; k++) words[inside[2 * k]] = (uint64_t)WORD(m->image + inside[2 * k + 1]);
    for (uint64_t k = 0; k < d[CT_HEAD_n_outside]; k++) words[outside[2 * k]] = (uint64_t)WORD(entries[outside[2 * k + 1]]);
}
ct_model *ct_init(void *memory, size_t size, const void *data, size_t bytes) {
    size_t needed = ct_size(data, bytes);
    ct_model *m = (ct_model *)(((uintptr_t)memory + ALIGN - 1) / ALIGN * ALIGN);
    if (!memory || !needed || size < needed) return NULL;
    m->data = data;
    memset(m->image, 0, (size_t)HEAD(m, size));
    memcpy(m->image, image_of(m->data), (size_t)(8 * HEAD(m, stored)));
    put_addresses(m);
    return m;
}
int ct_save(const ct_model *m, void *memory, size_t size) {
    if (size < HEAD(m, size)) return CT_ARGUMENT;
    memcpy(memory, m->image, (size_t)HEAD(m, size));
    return CT_OK;
}
int ct_restore(ct_model *m, const void *memory, size_t size) {
    if (size < HEAD(m, size)) return CT_ARGUMENT;
    memcpy(m->image, memory, (size_t)HEAD(m, size));
    put_addresses(m);
    return CT_OK;
}

int ct_nq(const ct_model *m) { return (int)HEAD(m, nq); }
int ct_nv(const ct_model *m) { return (int)HEAD(m, nv); }
int ct_n_inputs(const ct_model *m) { return (int)HEAD(m, n_inputs); }
int ct_n_constraints(const ct_model *m) { return (int)HEAD(m, n_constraints); }
int ct_n_bodies(const ct_model *m) { return (int)HEAD(m, n_bodies); }
double ct_time(const ct_model *m) { return *(const double *)AT(m, time_at); }
const double *ct_q(const ct_model *m) { return AT(m, state_at); }
const double *ct_v(const ct_model *m) { return ct_q(m) + ct_nq(m); }
const double *ct_a(const ct_model *m) { return ct_v(m) + ct_nv(m); }
const double *ct_multipliers(const ct_model *m) { return AT(m, lam_at); }
size_t ct_scratch_used(const ct_model *m) { return (size_t)((const uint64_t *)AT(m, scratch_at))[3]; }
size_t ct_scratch_size(const ct_model *m) { return (size_t)HEAD(m, scratch); }

static double *input_at(const ct_model *m, int k) { return (double *)(void *)(m->image + inputs_of(m->data)[k]); }
static void put_input(ct_model *m, int k, double value) {
    if (*input_at(m, k) != value) {
        *input_at(m, k) = value;
        *(int64_t *)AT(m, stale_at) = 1;
    }
}
void ct_set_inputs(ct_model *m, const double *inputs) {
    for (int k = 0; k < ct_n_inputs(m); k++) put_input(m, k, inputs[k]);
}
int ct_set_input(ct_model *m, int k, double value) {
    if (k < 0 || k >= ct_n_inputs(m) || !isfinite(value)) return CT_ARGUMENT;
    put_input(m, k, value);
    return CT_OK;
}
double ct_input(const ct_model *m, int k) { return k < 0 || k >= ct_n_inputs(m) ? (double)NAN : *input_at(m, k); }

int ct_set_state(ct_model *m, double t, const double *q, const double *v) { return status_of(CALL(m, begin, t, q, v, 0)); }
int ct_step(ct_model *m, double size, int count) {
    if (!(size > 0) || !isfinite(size) || count < 0) return CT_ARGUMENT;
    *(int64_t *)AT(m, count_at) = count;
    return status_of_step(CALL(m, step, size, 0, 0, 0));
}
int ct_forward_dynamics(ct_model *m, double t, const double *q, const double *v, double *v_dot) {
    return status_of(CALL(m, forward, t, q, v, v_dot));
}
int ct_inverse_dynamics(ct_model *m, double t, const double *q, const double *v, const double *v_dot, double *force) {
    if (force != v_dot) memcpy(force, v_dot, (size_t)ct_nv(m) * sizeof *force);
    return status_of(CALL(m, inverse, t, q, v, force));
}
int ct_mass_matrix(ct_model *m, const double *q, double *M) {
    int status = status_of(CALL(m, mass, 0.0, q, 0, 0));
    memcpy(M, AT(m, mass_at), (size_t)ct_nv(m) * (size_t)ct_nv(m) * sizeof *M);
    return status;
}
int ct_poses(ct_model *m, const double *q, double *poses) {
    int status = status_of(CALL(m, poses, 0.0, q, 0, 0));
    memcpy(poses, AT(m, poses_at), 12 * (size_t)ct_n_bodies(m) * sizeof *poses);
    return status;
}
int ct_energy(ct_model *m, const double *q, const double *v, double energy[2]) {
    int status = status_of(CALL(m, measure, ct_time(m), q, v, 0));
    memcpy(energy, AT(m, energy_at), 2 * sizeof *energy);
    return status;
}
int ct_violation(ct_model *m, double t, const double *q, const double *v, double violation[2]) {
    int status = status_of(CALL(m, measure, t, q, v, 0));
    memcpy(violation, (double *)AT(m, energy_at) + 2, 2 * sizeof *violation);
    return status;
}
int ct_close_loops(ct_model *m, double t, double *q, double *v, const int *fixed) {
    for (int j = 0; j < ct_nv(m); j++) ((int64_t *)AT(m, fixed_at))[j] = fixed && fixed[j];
    return status_of(CALL(m, close, t, q, v, 0));
}
