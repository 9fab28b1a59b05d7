/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_distribution.c - distributions and derivatives of ln gamma against tables (computed with
 * scipy 1.17; the t quantiles are also in any printed table).
 */
#include "base/stats.h"

#include "base/base.h"

#include <criterion/criterion.h>
#include <math.h>

static bool is_near(double got, double want, double tolerance) {
  return fabs(got - want) <= tolerance * fmax(1, fabs(want));
}

Test(distribution, students_t_is_exact) {
  static const struct {
    double chance;
    size_t freedom;
    double quantile;
  } cases[] = {{0.05, 1, 12.706204736174705},    {0.05, 2, 4.302652729749464},
               {0.05, 4, 2.7764451051977943},    {0.05, 7, 2.3646242515927844},
               {0.05, 200, 1.9718962236339093},  {0.001, 3, 12.923978636687481},
               {0.000025, 8, 8.639628669688253}, {0.5, 5, 0.7266868438004226}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    double quantile = etr_t_quantile(cases[i].chance, cases[i].freedom),
           chance = etr_t_chance(cases[i].quantile, cases[i].freedom);
    cr_expect(is_near(quantile, cases[i].quantile, 1e-9), "case %zu: %.15g", i, quantile);
    cr_expect(fabs(chance - cases[i].chance) <= 1e-11, "case %zu: %.15g", i, chance);
  }
  cr_expect_eq(etr_t_chance(0, 3), 1);
}

Test(distribution, the_normal_distribution_is_exact) {
  static const struct {
    double chance, quantile;
  } cases[] = {{0.05, 1.9599639845400545},
               {0.001, 3.2905267314918945},
               {1e-6, 4.891638475698591},
               {0.5, 0.6744897501960817}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    double quantile = etr_normal_quantile(cases[i].chance),
           chance = etr_normal_chance(cases[i].quantile);
    cr_expect(is_near(quantile, cases[i].quantile, 1e-11), "case %zu: %.15g", i, quantile);
    cr_expect(fabs(chance / cases[i].chance - 1) <= 1e-12, "case %zu: %.15g", i, chance);
  }
}

Test(distribution, digamma_and_trigamma_are_exact) {
  static const struct {
    double x, digamma, trigamma;
  } cases[] = {{0.1, -10.423754940411076, 101.43329915079275},
               {0.5, -1.9635100260214235, 4.93480220054468},
               {1, -0.5772156649015329, 1.6449340668482266},
               {1.5, 0.03648997397857652, 0.9348022005446793},
               {2, 0.42278433509846713, 0.6449340668482266},
               {3.7, 1.1671535393615113, 0.31003785767003833},
               {6, 1.7061176684318005, 0.18132295573711532},
               {11.9, 2.4339335368825377, 0.08766320119000418},
               {12, 2.4426616799758123, 0.0869018728717684},
               {50, 3.9019896734278925, 0.020201333226697128},
               {1000, 6.907255195648812, 0.001000500166666633}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    double digamma = etr_digamma(cases[i].x), trigamma = etr_trigamma(cases[i].x);
    cr_expect(is_near(digamma, cases[i].digamma, 1e-13), "digamma(%g) is not %.17g", cases[i].x,
              digamma);
    cr_expect(is_near(trigamma, cases[i].trigamma, 1e-13), "trigamma(%g) is not %.17g", cases[i].x,
              trigamma);
  }
}

Test(distribution, the_inverse_of_trigamma_inverts_it) {
  static const double values[] = {1e-9, 0.001, 0.1, 1.6449340668482264, 4.93, 100, 1e6, 1e9};
  for (size_t i = 0; i < ETR_COUNT(values); i++) {
    double x = etr_trigamma_inverse(values[i]);
    cr_expect(fabs(etr_trigamma(x) / values[i] - 1) <= 1e-7, "%g: trigamma(%.15g) is %.15g",
              values[i], x, etr_trigamma(x));
  }
  cr_expect(is_near(etr_trigamma_inverse(0.1), 10.491681821078423, 1e-12));
  cr_expect(is_near(etr_trigamma_inverse(100), 0.10072375880005456, 1e-12));
}
