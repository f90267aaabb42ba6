import { positiveDurationField, section } from '../schema/fields.ts';
import { flag, Type, word } from '../util/json-schema.ts';

/** `observability`: what is kept of requests beside the records of calls. */
export const observabilitySettings = Type.Object(
  {
    refusals: flag({
      default: true,
      description: 'Whether requests that limits, guardrails or routing turn away are kept',
    }),
    plans: word(['off', 'failures', 'all'], {
      default: 'off',
      description:
        'Which calls keep the plan of their endpoints: none, those that failed, fell back or were turned away, or all',
    }),
    keep: positiveDurationField('How long both are kept', '168h'),
  },
  section('What is kept of requests beside the records of calls'),
);
