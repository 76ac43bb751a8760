import { invalidRequest } from '@witan/contracts';
import type { LimitsService } from '@witan/contracts/services';
import { TASK_TYPES } from '@witan/proof';
import type { Handlers } from '@witan/service-kit';
import type { LocalRuntime } from '../../provider/local-runtime.ts';
import { LOCAL_PROVIDER } from '../../provider/provider.ts';
import type { ChoicesFor } from '../choices.ts';
import { chooseRoute, toEmbeddingSettings, toRoutingAddress } from '../choose-route.ts';

/** Signals of a call of which nothing is known but its address. */
const UNKNOWN = {
  openingText: '',
  lastUserText: '',
  systemText: '',
  promptLength: 0,
  userTurns: 1,
  toolCount: 0,
  hasOpenToolCalls: false,
  hasSignedReasoning: false,
  wantsReasoning: false,
  wantsJson: false,
  mediaCount: 0,
};

export const createLimitsHandlers = (
  choicesFor: ChoicesFor,
  localRuntime: Pick<LocalRuntime, 'describe'> | undefined,
): Handlers<typeof LimitsService> => ({
  getModelLimits: async ({ address, purpose: name }, { workspaceId }) => {
    if (!address) throw invalidRequest('The limits of a call need its address.');
    const purpose = TASK_TYPES.find((type) => type === name);
    const routingAddress = toRoutingAddress(address);
    const { settings } = await choicesFor(workspaceId, routingAddress.model);
    const offered = purpose === 'embedding' ? toEmbeddingSettings(settings) : settings;
    const context = { ...offered, isSensitive: false, purpose };
    const [target] = chooseRoute(routingAddress, UNKNOWN, context).targets;
    if (!localRuntime || target?.provider !== LOCAL_PROVIDER) return { local: false };
    const { contextTokens = 0, tokenMs = 0 } = await localRuntime.describe(target.model);
    return { local: true, contextTokens, tokenMs };
  },
});
