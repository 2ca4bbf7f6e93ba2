/* A mechanism of Cotree that runs without Python, by functions that need nothing but the C library.

   An instance lies in memory of the caller; nothing is allocated, and instances are independent of each other, also on threads.
   Units are SI and radians. Functions that return int give CT_OK or a number above it, or one of the negative codes below. */
#ifndef COTREE_MODEL_H
#define COTREE_MODEL_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#if defined(CT_BUILD) && defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

enum ct_status {
    CT_OK = 0,
    CT_NOT_FINITE = -1,  /* a state became infinite or NaN: take a smaller step */
    CT_NOT_CLOSED = -2,  /* loops cannot be closed: take a smaller step, or another start */
    CT_NO_INERTIA = -3,  /* a coordinate has no inertia here */
    CT_NO_ROOM = -4,     /* the instance's own scratch memory does not suffice */
    CT_FAILED = -5,      /* the equations of a step could not be solved */
    CT_DAMAGED = -6,     /* the model is not what was exported */
    CT_FOREIGN = -7,     /* the model was exported by another version, or with other kinds of joints and elements */
    CT_ARGUMENT = -8     /* an argument is not in its range */
};
const char *ct_status_text(int status);

typedef struct ct_model ct_model;

/* The model that this library was exported with; others are files that ct.export_library writes (model.ctm). */
extern const uint64_t ct_mechanism[];
extern const size_t ct_mechanism_bytes;
#define CT_MECHANISM ct_mechanism, ct_mechanism_bytes

/* data: a model, aligned to 8 bytes, which must stay as long as its instances are used. */
int ct_check(const void *data, size_t bytes);
size_t ct_size(const void *data, size_t bytes);                                    /* bytes of an instance; 0: not usable */
ct_model *ct_init(void *memory, size_t size, const void *data, size_t bytes);      /* at its start; NULL: not usable */
int ct_save(const ct_model *m, void *memory, size_t size);      /* all of an instance as bytes, ct_size() of them ... */
int ct_restore(ct_model *m, const void *memory, size_t size);   /* ... and back, also into another instance of the model */

int ct_nq(const ct_model *m), ct_nv(const ct_model *m), ct_n_inputs(const ct_model *m);
int ct_n_constraints(const ct_model *m), ct_n_bodies(const ct_model *m);           /* bodies with the ground, which is the first */

/* The present state: time, coordinates (nq), velocities (nv), accelerations (nv), those of the last step. */
double ct_time(const ct_model *m);
const double *ct_q(const ct_model *m), *ct_v(const ct_model *m), *ct_a(const ct_model *m);
int ct_set_state(ct_model *m, double t, const double *q, const double *v);         /* loops closed: see ct_close_loops */

/* Forces and torques from now on, in the order of mechanism.h. */
void ct_set_inputs(ct_model *m, const double *inputs);
int ct_set_input(ct_model *m, int index, double value);
double ct_input(const ct_model *m, int index);

/* So many steps of a size [s]; where one fails, the state stays at the last good one. */
int ct_step(ct_model *m, double size, int count);

/* Of any state, under the present inputs; the instance's own state stays. */
int ct_forward_dynamics(ct_model *m, double t, const double *q, const double *v, double *v_dot);      /* gives the rank */
int ct_inverse_dynamics(ct_model *m, double t, const double *q, const double *v, const double *v_dot, double *force);
int ct_mass_matrix(ct_model *m, const double *q, double *M);                       /* nv x nv, of the opened tree */
int ct_poses(ct_model *m, const double *q, double *poses);                         /* n_bodies x 12: rotation by rows, position */
int ct_energy(ct_model *m, const double *q, const double *v, double energy[2]);    /* kinetic, potential [J] */
int ct_violation(ct_model *m, double t, const double *q, const double *v, double violation[2]); /* positions, velocities */

/* q and v so that loops are closed and velocities admissible, in place; coordinates of v with fixed[j] != 0 keep their
   values (fixed may be NULL). Gives the rank of the constraints. */
int ct_close_loops(ct_model *m, double t, double *q, double *v, const int *fixed);

/* Forces of the constraints at the last evaluation (n_constraints). */
const double *ct_multipliers(const ct_model *m);

/* Most bytes of scratch memory that a call of this instance has used, and how many there are. */
size_t ct_scratch_used(const ct_model *m), ct_scratch_size(const ct_model *m);

#if defined(CT_BUILD) && defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
