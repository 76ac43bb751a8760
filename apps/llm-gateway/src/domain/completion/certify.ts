import { create } from '@bufbuild/protobuf';
import { DraftSchema } from '@witan/contracts';
import type { Draft, Usage } from '@witan/contracts';
import { hash } from 'node:crypto';
import { answerCommitmentText } from '@witan/proof';
import type { AnswerChoice, FinishReason, RoutingReason } from '@witan/proof';
import type { Target } from '../route/target.ts';
import { askAgain } from './ask-again.ts';
import type { PlannedCall } from './plan-call.ts';
import type { Books } from './ports.ts';

/** What one attempt asks for and sends: all of its certificate but the answer. */
export type Intent = {
  proofId: string;
  call: PlannedCall;
  target: Target;
  egressSha256: string;
  reason: RoutingReason;
};

/** How a call ended. */
export type Ending = {
  choices: AnswerChoice[];
  finishReason: FinishReason;
  usage: Omit<Usage, '$typeName' | '$unknown'>;
};

/** What is about to be sent, as the ledger keeps it until the call is settled. */
export const toIntentDraft = (intent: Intent): Draft => {
  const { promptTokens } = intent.call;
  return toDraft(intent, {
    choices: [],
    finishReason: 'lost',
    usage: { promptTokens, completionTokens: 0, totalTokens: promptTokens, estimated: true },
  });
};

/**
 * Seals how a call ended. Resolves once the certificate is durable; an unreachable ledger is asked
 * again for 10 s, which is safe because appends are idempotent by proof id. Not bound to the
 * client's call: a client that is gone is certified too. Rejects with LEDGER_UNAVAILABLE.
 */
export const certify = async (books: Books, intent: Intent, ending: Ending): Promise<void> => {
  const draft = toDraft(intent, ending);
  await askAgain(() => books.append(intent.call.workspaceId, draft));
};

const toDraft = ({ call, ...intent }: Intent, ending: Ending): Draft =>
  create(DraftSchema, {
    proofId: intent.proofId,
    address: call.address,
    requestSha256: call.request.requestSha256,
    grounding: call.request.grounding,
    egress: {
      provider: intent.target.provider,
      model: intent.target.model,
      sha256: intent.egressSha256,
      // Truthfully nothing: masking is not built yet.
      masked: 0,
      categories: [],
    },
    answer: {
      sha256: hash('sha256', answerCommitmentText(ending.choices), 'hex'),
      finishReason: ending.finishReason,
      usage: ending.usage,
    },
    routing: { taskType: call.route.taskType, reason: intent.reason },
  });
