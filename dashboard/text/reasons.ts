/** Why an endpoint stands where it does in a plan: of the first one, and of one that follows. */
const places: Readonly<Record<string, readonly [first: string, following: string]>> = {
  only: ['Nothing else can serve it.', 'Nothing else can serve it.'],
  sticky: [
    'It answered this conversation before, so that its cache can be used.',
    'The one before is kept first for its cache.',
  ],
  drawn: [
    'It was drawn among endpoints that are equal otherwise; a lower price gives a better chance.',
    'The one before was drawn this time; the next request may begin here.',
  ],
  speed_wanted: ['Fast enough for what the request wants.', 'Not as fast as the request wants.'],
  model: ['Its model comes first in the request.', 'Its model comes later in the request.'],
  credential: ['This credential is tried first.', 'This credential is tried after the one before.'],
  order: ['The request puts it first.', 'The request puts it later, or does not name it.'],
  service_tier: ['It has the wanted tier.', 'It does not have the wanted tier.'],
  own_endpoint: ['It belongs to the account alone.', 'It is open to all accounts.'],
  health: ['It fails least at the moment.', 'It fails more often at the moment.'],
  tool_calls: ['It is best at calling tools.', 'It is worse at calling tools.'],
  speed: ['It is the fastest.', 'It is slower.'],
  price: [
    'It has the lowest price, counted as three quarters input and one quarter output.',
    'Its price is higher, counted as three quarters input and one quarter output.',
  ],
  name: ['Equal to the next one, and first by name.', 'Equal to the one before, and later by name.'],
};

/** The sentence for the place of an endpoint. @param index Its place, from 0. */
export function placeOf(because: string, index: number): string {
  return places[because]?.[index === 0 ? 0 : 1] ?? because.replaceAll('_', ' ');
}

/** Why an endpoint is left out, as a sentence, by the words of the interface. */
const sentences: Readonly<Record<string, string>> = {
  allowed_providers: 'The request, the key or the account allows other providers only.',
  allow_fallbacks: 'The request forbids fallbacks, and another endpoint comes first.',
  geo: 'It does not serve the region of this installation.',
  data_region: 'Data would be processed in another region than asked for.',
  'data_policy:training': 'The provider may train on prompts, which the request forbids.',
  'data_policy:zdr': 'The provider keeps prompts, and the request wants nothing kept.',
  distillable: 'The model may not be used to train others, which the request wants.',
  modality: 'It does not take or make this kind of content.',
  quantization: 'Its quantization is not among those asked for.',
  context_length: 'The prompt does not fit its context.',
  max_price: 'It costs more than the request allows.',
  require_parameters: 'It does not support every parameter of the request.',
  strict: 'It could not keep to the request strictly.',
  tools: 'It cannot call tools.',
  response_format: 'It cannot keep to the wanted format.',
  verbosity: 'It does not know the wanted verbosity.',
  service_tier: 'It does not have the wanted tier.',
  own_credentials: 'Only own credentials may be used, and there is none for it.',
  degraded: 'It fails often at the moment.',
  down: 'It is down at the moment.',
  rate_limited: 'Its rate limit is used up at the moment.',
  deprecated: 'Its provider has ended it.',
  disabled: 'It is switched off in the configuration.',
  hidden: 'It is hidden in the configuration.',
};

/** The sentence for a reason; the reason itself where it is a new one. */
export function reasonOf(reason: string): string {
  return sentences[reason] ?? reason.replaceAll('_', ' ');
}
