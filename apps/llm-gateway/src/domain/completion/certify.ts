import { create } from '@bufbuild/protobuf';
import { DraftSchema } from '@witan/contracts';
import type { Address, Draft, Usage } from '@witan/contracts';
import { hash } from 'node:crypto';
import { answerCommitmentText } from '@witan/proof';
import type { AnswerChoice, FinishReason } from '@witan/proof';
import type { Route } from '../route/choose-route.ts';
import { askAgain } from './ask-again.ts';
import type { Books } from './ports.ts';

/** What one call asks for and sends: all of its certificate but the answer. */
export type Intent = {
  proofId: string;
  workspaceId: string;
  address: Address;
  requestSha256: string;
  egressSha256: string;
  route: Route;
  /** Estimated from the request, for the case that nobody learns the real one. */
  promptTokens: number;
};

/** How a call ended. */
export type Ending = {
  choices: AnswerChoice[];
  finishReason: FinishReason;
  usage: Omit<Usage, '$typeName' | '$unknown'>;
};

/** What is about to be sent, as the ledger keeps it until the call is settled. */
export const toIntentDraft = (intent: Intent): Draft =>
  toDraft(intent, {
    choices: [],
    finishReason: 'lost',
    usage: {
      promptTokens: intent.promptTokens,
      completionTokens: 0,
      totalTokens: intent.promptTokens,
      estimated: true,
    },
  });

/**
 * Seals how a call ended. Resolves once the certificate is durable; an unreachable ledger is asked
 * again for 10 s, which is safe because appends are idempotent by proof id. Not bound to the
 * client's call: a client that is gone is certified too. Rejects with LEDGER_UNAVAILABLE.
 */
export const certify = async (books: Books, intent: Intent, ending: Ending): Promise<void> => {
  const draft = toDraft(intent, ending);
  await askAgain(() => books.append(intent.workspaceId, draft));
};

const toDraft = (intent: Intent, ending: Ending): Draft =>
  create(DraftSchema, {
    proofId: intent.proofId,
    address: intent.address,
    requestSha256: intent.requestSha256,
    egress: {
      provider: intent.route.provider,
      model: intent.route.model,
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
    routing: { taskType: intent.route.taskType, reason: intent.route.reason },
  });
