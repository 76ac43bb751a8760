import type { RoutingSignals } from '@witan/dialects';

const SMALL_TALK: RoutingSignals = {
  openingText: 'Good morning!',
  lastUserText: 'Good morning!',
  systemText: '',
  promptLength: 13,
  userTurns: 1,
  toolCount: 0,
  hasOpenToolCalls: false,
  hasSignedReasoning: false,
  wantsReasoning: false,
  wantsJson: false,
  mediaCount: 0,
};

export const makeSignals = (options: Partial<RoutingSignals> = {}): RoutingSignals => ({
  ...SMALL_TALK,
  ...options,
});
