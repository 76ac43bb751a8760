import type { LedgerClient } from '@witan/contracts';
import type { ReportedUsage } from '@witan/proof';
import type { Privacy } from '../masking/mask-request.ts';
import type { Target } from '../provider/provider.ts';
import type { SchemaSupport } from '../provider/schema-support.ts';
import type { ChoicesFor } from '../routing/choices.ts';

export type CompletionDeps = {
  ledger: LedgerClient;
  choicesFor: ChoicesFor;
  privacy: Privacy;
  schemas: SchemaSupport;
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
  /** Lets other calls run after a step that processed many bytes. */
  yieldAfter: (bytes: number) => Promise<void> | undefined;
  onAttempt: (record: AttemptRecord) => void;
  onEnded: (ended: EndedAttempt) => void;
  /** Called with the context window that an error of a provider names. */
  onContext: (target: Target, contextTokens: number) => void;
};

export type Caller = {
  workspaceId: string;
  requestId: string;
  actorId?: string | undefined;
  signal: AbortSignal;
};

/** A finished attempt as reported to traces and metrics, without content. */
export type EndedAttempt = {
  operation: 'chat' | 'embeddings';
  provider: string;
  model: string;
  agent: string;
  status: number;
  masked: number;
  /** True if the request asks for a streamed answer. */
  isStreamed: boolean;
  /** Time from sending the request to the last byte of the response, or to the failure. */
  durationMs: number;
  ending?: ReportedUsage & { finishReason: string };
  failure?: string;
};

export type AttemptRecord = {
  workspaceId: string;
  requestId: string;
  proofId: string;
  provider: string;
  /** True if the provider and its key are the workspace's own, false if they are the operator's. */
  isOwn: boolean;
  model: string;
  attempt: number;
  /** `answered` for any HTTP status; otherwise the reason of the failure. */
  outcome: string;
  status: number;
  durationMs: number;
};
