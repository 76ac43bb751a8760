import { create } from '@bufbuild/protobuf';
import { DraftSchema, isServiceError, ServiceError } from '@witan/contracts';
import type { Draft, Usage } from '@witan/contracts';
import { hash } from 'node:crypto';
import { answerCommitmentText } from '@witan/proof';
import type { AnswerChoice, FinishReason, RoutingReason } from '@witan/proof';
import type { EgressPii } from '../privacy/mask-body.ts';
import type { Target } from '../route/target.ts';
import { askAgain } from './ask-again.ts';
import type { PlannedCall } from './plan-call.ts';
import type { Books } from './ports.ts';

/** What one attempt asks for and sends: all of its certificate but the answer. */
export type Intent = {
  proofId: string;
  call: PlannedCall;
  target: Target;
  egress: { sha256: string; pii: EgressPii };
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
 * client's call: a client that is gone is certified too. Rejects with LEDGER_UNAVAILABLE, naming
 * the certificate that the sweeper will write.
 */
export const certify = async (books: Books, intent: Intent, ending: Ending): Promise<void> => {
  const draft = toDraft(intent, ending);
  try {
    await askAgain(() => books.append(intent.call.workspaceId, draft));
  } catch (error) {
    const isPending = isServiceError(error) && error.reason === 'LEDGER_UNAVAILABLE';
    throw isPending ? nameCertificate(error, intent.proofId) : error;
  }
};

/** The same failure with the certificate that says how the call ended, or its last attempt. */
export const nameCertificate = (failure: ServiceError, proofId: string): ServiceError =>
  new ServiceError(failure.reason, failure.message, {
    cause: failure.cause,
    fields: { ...failure.fields, proof: proofId },
  });

const toDraft = ({ call, ...intent }: Intent, ending: Ending): Draft =>
  create(DraftSchema, {
    proofId: intent.proofId,
    address: call.address,
    requestSha256: call.request.requestSha256,
    grounding: call.request.grounding,
    egress: {
      provider: intent.target.provider,
      model: intent.target.model,
      sha256: intent.egress.sha256,
      ...intent.egress.pii,
    },
    answer: {
      sha256: hash('sha256', answerCommitmentText(ending.choices), 'hex'),
      finishReason: ending.finishReason,
      usage: ending.usage,
    },
    routing: { taskType: call.route.taskType, reason: intent.reason },
  });
