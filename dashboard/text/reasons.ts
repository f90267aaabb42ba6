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
