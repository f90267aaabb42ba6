import type { PresetPlace } from '../../ports/presets.ts';
import type { ChangeStores } from '../../ports/storage.ts';
import type { JsonObject } from '../../util/json.ts';
import { showAccount } from '../accounts/show.ts';
import { showCredentialOfAny } from '../credentials/show.ts';
import { lookAtDestination } from '../destinations/show.ts';
import { showGuardrail } from '../guardrails/show.ts';
import { showKeyOfAny } from '../keys/show.ts';
import { showWholePreset } from '../presets/show.ts';
import { showWorkspace } from '../workspaces/show.ts';

/** Reads an object as audit entries show it; undefined while it does not exist. */
type Look = (stores: ChangeStores) => Promise<JsonObject | undefined>;

/** Reads an account. */
export function accountLook(id: string): Look {
  return async ({ accounts }) => {
    const account = await accounts.find(id);
    return account && showAccount(account);
  };
}

/** Reads a key. */
export function keyLook(hash: string): Look {
  return async ({ keys }) => {
    const known = await keys.findWithAccount(hash);
    return known && showKeyOfAny(known.key);
  };
}

/** Reads a credential without its label, which shows a part of the secret. */
export function credentialLook(id: string): Look {
  return async ({ credentials }) => {
    const credential = await credentials.find(id);
    return credential && without(showCredentialOfAny(credential), 'label');
  };
}

/** Reads a destination without its state, which is no decision of anybody. */
export function destinationLook(accountId: string, id: string): Look {
  return async ({ destinations }) => {
    const destination = await destinations.find(accountId, id);
    return destination && lookAtDestination(destination);
  };
}

/** Reads a workspace. */
export function workspaceLook(accountId: string, id: string): Look {
  return async ({ workspaces }) => {
    const workspace = await workspaces.find(accountId, id);
    return workspace && without(showWorkspace(workspace), 'updated_at');
  };
}

/** Reads a preset with the settings that requests get. */
export function presetLook(place: PresetPlace, slug: string): Look {
  return async ({ presets }) => {
    const preset = await presets.find(place, slug);
    return preset && without(showWholePreset(preset), 'updated_at');
  };
}

/** Reads a guardrail. */
export function guardrailLook(accountId: string, id: string): Look {
  return async ({ guardrails }) => {
    const guardrail = await guardrails.find(accountId, id);
    return guardrail && without(showGuardrail(guardrail), 'updated_at');
  };
}

function without(object: JsonObject, name: string): JsonObject {
  const { [name]: _left, ...rest } = object;
  return rest;
}
