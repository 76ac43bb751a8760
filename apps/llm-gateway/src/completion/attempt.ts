import type { MaskedBody } from '../masking/mask-body.ts';
import type { CallOutcome } from '../provider/circuit-breaker.ts';
import type { Ending, Intent } from './certify.ts';
import type { PlannedCall } from './plan-call.ts';
import type { LedgerClient } from './ports.ts';
import type { Provider } from '../provider/provider.ts';
import type { TokenNeed } from './estimate-need.ts';
import type { Egress } from './prepare-egress.ts';
import type { Caller } from './completion.ts';

export type Attempt = {
  intent: Intent;
  call: PlannedCall;
  provider: Provider;
  egress: Egress;
  mask: (text: string) => Promise<MaskedBody>;
  need: TokenNeed;
  ledger: LedgerClient;
  caller: Caller;
  /** True if no fallback follows, so that the client receives the result of this attempt. */
  isLast: boolean;
  isRetryable: (failure: unknown) => boolean;
  isOpened: boolean;
  /** `performance.now()` when the request was sent; 0 before. */
  sentAt: number;
  /** Time spent waiting for providers, including earlier attempts. */
  providerMs: number;
  settle: (outcome: CallOutcome) => void;
  abandonController: AbortController;
  record: (outcome: string, status: number) => void;
  /** Reports the end once; later calls have no effect. */
  reportEnd: (ending: Ending | undefined, failure?: string) => void;
};
