import type { RoutingSignals } from '@witan/dialects';

/** Small talk: what a router sees of a call that asks for nothing special. */
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
  hasMedia: false,
};

/** Signals of small talk, but for what is said here. */
export const makeSignals = (options: Partial<RoutingSignals> = {}): RoutingSignals => ({
  ...SMALL_TALK,
  ...options,
});
