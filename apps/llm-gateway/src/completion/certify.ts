import { create } from '@bufbuild/protobuf';
import { DraftSchema, isServiceError, ServiceError } from '@witan/contracts';
import type { Draft, Usage } from '@witan/contracts';
import { hash } from 'node:crypto';
import { answerCommitmentText } from '@witan/proof';
import type { AnswerChoice, FinishReason, RoutingReason } from '@witan/proof';
import type { EgressPii } from '../masking/mask-body.ts';
import type { Target } from '../provider/target.ts';
import { retryLedgerWrite } from './retry-ledger-write.ts';
import type { PlannedCall } from './plan-call.ts';
import type { LedgerClient } from './ports.ts';

/** The content of an attempt's certificate that is known before egress. */
export type Intent = {
  proofId: string;
  call: PlannedCall;
  target: Target;
  egress: { sha256: string; pii: EgressPii };
  reason: RoutingReason;
};

export type Ending = {
  choices: AnswerChoice[];
  finishReason: FinishReason;
  usage: Omit<Usage, '$typeName' | '$unknown'>;
};

/**
 * Returns the draft that the ledger stores until the call is settled; it becomes the certificate of
 * a lost call.
 */
export const toIntentDraft = (intent: Intent): Draft => {
  const { promptTokens } = intent.call;
  const draft = toDraft(intent, {
    choices: [],
    finishReason: 'lost',
    usage: { promptTokens, completionTokens: 0, totalTokens: promptTokens, estimated: true },
  });
  draft.lostProofId = intent.call.request.answerProofId;
  return draft;
};

/** Returns the id of the certificate that ends the call, as announced to the client. */
export const answerIdOf = ({ proofId, call }: Pick<Intent, 'proofId' | 'call'>): string =>
  call.request.answerProofId || proofId;

/**
 * Appends the certificate of a call's end, under the attempt's own id unless another is given.
 * Resolves with the certificate's id once that is durable; retries an unreachable ledger for 10 s,
 * which is safe because appends are idempotent by reservation. Not bound to the client's signal:
 * calls of disconnected clients are certified too. Rejects with LEDGER_UNAVAILABLE, naming the
 * certificate that the sweeper will write, and with CONFLICT when the given id belongs to another
 * call: then the certificate has the attempt's own id.
 */
export const certify = async (
  ledger: LedgerClient,
  intent: Intent,
  ending: Ending,
  proofId = intent.proofId,
): Promise<string> => {
  const { workspaceId } = intent.call;
  const append = (id: string): Promise<string> => {
    const draft = toDraft({ ...intent, proofId: id }, ending);
    return retryLedgerWrite(() => ledger.append(workspaceId, draft, intent.proofId));
  };
  try {
    return await append(proofId).catch(async (error: unknown) => {
      if (proofId === intent.proofId || !isRefused(error)) throw error;
      throw withCertificateId(error, await append(intent.proofId));
    });
  } catch (error) {
    const isPending = isServiceError(error) && error.reason === 'LEDGER_UNAVAILABLE';
    throw isPending ? withCertificateId(error, answerIdOf(intent)) : error;
  }
};

const isRefused = (error: unknown): error is ServiceError =>
  isServiceError(error) && error.reason === 'CONFLICT';

export const withCertificateId = (failure: ServiceError, proofId: string): ServiceError =>
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
