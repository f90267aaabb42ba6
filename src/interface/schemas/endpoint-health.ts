import { flag, integer, list, named, orNull, Type, text } from '../../util/json-schema.ts';

/** How one endpoint does. */
export const EndpointHealthSchema = Type.Object({
  model_id: text(),
  model_name: text(),
  provider: text(),
  provider_name: text(),
  tag: text(),
  state: text({ enum: ['normal', 'degraded', 'down', 'rate_limited', 'deprecated'] }),
  since: orNull(text({ description: 'Null while it is normal' })),
  until: orNull(text({ description: 'When the wait after a 429 is over' })),
  last_success_at: orNull(text({ description: 'Null without an answer within a day' })),
  attempts_30m: integer(),
  failures_30m: integer(),
  outcomes_30m: orNull(
    list(Type.Object({ outcome: text(), count: integer() }), {
      description: 'What attempts came to besides answers; null for others than operators',
    }),
  ),
  latency_samples_30m: integer({ description: 'Answers that the percentiles of its latency rest on' }),
  throughput_samples_30m: integer({ description: 'Answers that the percentiles of its throughput rest on' }),
  retains_prompts: flag({ description: 'True where nothing is known' }),
  trains_on_prompts: flag({ description: 'True where nothing is known' }),
  publishes_prompts: flag(),
});

/** How endpoints do. */
export const EndpointHealthList = named(
  'EndpointHealthList',
  Type.Object({ as_of: text(), data: list(EndpointHealthSchema) }),
);
