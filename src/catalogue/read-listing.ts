import type { Benchmarks, ModelListing, ProviderListing } from '../core/listing.ts';
import type { ModelSettings, ProviderSettings } from './catalogue-schema.ts';

/** Merges the file's list description of a model over the built-in one. */
export function readModelListing(
  settings: ModelSettings,
  known: ModelListing | undefined,
): ModelListing | undefined {
  const listing: ModelListing = {
    categories: settings.categories ?? known?.categories,
    benchmarks: settings.benchmarks ? readBenchmarks(settings.benchmarks) : known?.benchmarks,
    codingPercentile: settings.coding_percentile ?? known?.codingPercentile,
    tokenizer: settings.tokenizer ?? known?.tokenizer,
    instructType: settings.instruct_type ?? known?.instructType,
    defaultParameters: settings.default_parameters ?? known?.defaultParameters,
    huggingFaceId: settings.hugging_face_id ?? known?.huggingFaceId,
    supportedVoices: settings.supported_voices ?? known?.supportedVoices,
  };
  return Object.values(listing).some((value) => value !== undefined) ? Object.freeze(listing) : undefined;
}

/** Merges the file's list description of a provider over the built-in one. */
export function readProviderListing(
  settings: ProviderSettings | undefined,
  known: ProviderListing | undefined,
): ProviderListing | undefined {
  const listing: ProviderListing = {
    privacyPolicyUrl: settings?.privacy_policy_url ?? known?.privacyPolicyUrl,
    termsOfServiceUrl: settings?.terms_of_service_url ?? known?.termsOfServiceUrl,
    statusPageUrl: settings?.status_page_url ?? known?.statusPageUrl,
    headquarters: settings?.headquarters ?? known?.headquarters,
    datacenters: settings?.datacenters ?? known?.datacenters,
  };
  return Object.values(listing).some((value) => value !== undefined) ? Object.freeze(listing) : undefined;
}

function readBenchmarks(settings: NonNullable<ModelSettings['benchmarks']>): Benchmarks {
  return Object.freeze({
    intelligence: settings.intelligence_index,
    coding: settings.coding_index,
    agentic: settings.agentic_index,
    arenas: settings.arenas?.map(({ win_rate: winRate, ...row }) => Object.freeze({ ...row, winRate })),
  });
}
