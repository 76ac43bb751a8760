import type { MessageInitShape } from '@bufbuild/protobuf';
import type { CompleteEventSchema } from '@witan/contracts';
import type { Privacy } from '../masking/mask-body.ts';
import type { AttemptRecord, LedgerClient, EndedAttempt } from './ports.ts';
import type { ChoicesFor } from '../routing/choices.ts';

export type CompletionEvent = MessageInitShape<typeof CompleteEventSchema>;

export type CompletionDeps = {
  ledger: LedgerClient;
  choicesFor: ChoicesFor;
  privacy: Privacy;
  /**
   * Upper bound of a call's output limit (GATEWAY_MAX_OUTPUT_TOKENS); larger limits are clamped.
   */
  maxOutputTokens: number;
  /**
   * If true, calls without an output limit get one, because a call may not use more tokens than are
   * held for it.
   */
  isMetered: boolean;
  totalTimeoutMs: number;
  onAttempt: (record: AttemptRecord) => void;
  onEnded: (ended: EndedAttempt) => void;
};

export type Caller = {
  workspaceId: string;
  requestId: string;
  signal: AbortSignal;
  /**
   * Resolves, after the provider has finished, with the text that the caller delivered to its
   * client, or null. Absent if answers are delivered unchanged.
   */
  awaitDeliveredText?: () => Promise<string | null>;
};
