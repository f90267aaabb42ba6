import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportsClosedAccount, reportsUnknownModel } from './wire/failure.ts';

const unknown: readonly (readonly [status: number, message: string, code?: string])[] = [
  [404, 'The model `gpt-9` does not exist or you do not have access to it.', 'model_not_found'],
  [400, 'invalid model ID'],
  [404, 'The API deployment for this resource does not exist.', 'DeploymentNotFound'],
  [404, 'model: claude-9', 'not_found_error: model not found'],
  [400, 'The model `llama-3` has been decommissioned and is no longer supported.', 'model_decommissioned'],
  [400, 'Invalid model: mistral-none', 'invalid_model'],
  [400, 'Model Not Exist'],
  [400, 'The requested model is not available. Please visit the list of models.', 'model_not_available'],
  [404, 'Model not found, inaccessible, and/or not deployed'],
  [400, 'acme/none is not a valid model ID'],
  [404, 'No endpoints found for acme/none.'],
  [400, "Invalid model 'sonar-none'. Permitted models can be found in the documentation."],
  [404, "model 'qwen' not found, try pulling it first"],
  [400, 'The provided model identifier is invalid.'],
  [403, "You don't have access to the model with the specified model ID."],
  [404, 'This model version has reached the end of its life.'],
  [404, 'models/gemini-9 is not found for API version v1beta, or is not supported for generateContent.'],
  [404, 'Publisher Model `projects/p/models/x` was not found or your project does not have access to it.'],
  [400, '* GenerateContentRequest.model: unexpected model name format'],
  [404, 'Not found the model kimi-none or Permission denied', 'resource_not_found_error'],
  [400, 'Unknown Model, please check the model code.', '1211'],
  [400, '模型不存在，请检查模型代码。', '1211'],
  [400, "invalid params, unknown model 'abab-none'"],
  [400, 'Model does not exist. Please check it carefully.', '20012'],
  [404, 'The model or endpoint x does not exist or you do not have access to it.'],
  [400, 'Unable to access model meta/none.'],
  [422, 'The model x is not supported by any provider you have enabled.', 'model_not_supported'],
];

test('providers say in many words that they do not serve a model', () => {
  for (const [status, message, providerCode] of unknown) {
    const isKnown = reportsUnknownModel(status, { message, providerCode });
    // This one has nothing but its type, which its own reader knows.
    assert.equal(isKnown, message !== 'model: claude-9', message);
  }
});

test('a fault of the request is none of the model', () => {
  for (const message of [
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    "Unsupported value: 'temperature' does not support 0.2 with this model.",
    "This model's maximum context length is 8192 tokens, but you asked for 9000.",
    "Invalid 'messages[2]': tool_call_id c1 not found in the calls of the model before",
    '`tools` is not supported for this model',
    'Invalid model parameter: top_k must be below 40',
    'invalid model output format',
    'The image could not be found at this address.',
    'Your organization must be verified to stream this model.',
  ]) {
    assert.equal(reportsUnknownModel(400, { message }), false, message);
  }
});

test('a busy model is no unknown one', () => {
  assert.equal(reportsUnknownModel(503, { message: 'The model does not exist on this replica' }), false);
  assert.equal(reportsUnknownModel(400, { message: 'The model is not available at the moment' }), false);
});

test('a closed account is the operator’s, and a closed door of the content is not', () => {
  for (const message of [
    'This organization has been disabled.',
    'Your account is suspended, please contact support.',
    'The project associated with this API key has been deactivated.',
  ]) {
    assert.equal(reportsClosedAccount(400, { message }), true, message);
    assert.equal(reportsClosedAccount(503, { message }), false, message);
  }
  assert.equal(reportsClosedAccount(400, { message: 'The prompt was blocked by a filter.' }), false);
});
