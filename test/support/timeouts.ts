import type { Timeouts } from '../../src/core/catalogue.ts';

const tenMinutes = 600_000;

/** Limits that no test reaches, on whatever machine: tests of limits set the one they are about. */
export const patientTimeouts: Timeouts = {
  connect: tenMinutes,
  firstEvent: tenMinutes,
  total: tenMinutes,
  idle: tenMinutes,
};
