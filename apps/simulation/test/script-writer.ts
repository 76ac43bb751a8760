import type { CompleteEventSchema, CompleteRequest } from '@witan/contracts';
import { CompletionService } from '@witan/contracts/services';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { ServiceError } from '@witan/contracts';
import {
  createDispatcher,
  createInProcessTransport,
  createLog,
  implement,
} from '@witan/service-kit';
import type { Transport } from '@witan/service-kit';

type Event = MessageInitShape<typeof CompleteEventSchema>;

export type ScriptedWriter = {
  transport: Transport;
  requests: CompleteRequest[];
  delivered: string[];
  /** Sets the answers of the following calls. The last one repeats; errors are thrown. */
  write: (...answers: (string | ServiceError)[]) => void;
  /** Sets the model that answers the following calls. */
  answerAs: (model: string) => void;
};

const USAGE = { promptTokens: 10, completionTokens: 2, totalTokens: 12 };

export const scriptWriter = (): ScriptedWriter => {
  const requests: CompleteRequest[] = [];
  const delivered: string[] = [];
  let answers: (string | ServiceError)[] = ['no report'];
  let model = 'm';
  const next = (): string | ServiceError =>
    (answers.length > 1 ? answers.shift() : answers[0]) ?? '';
  const implementation = implement(CompletionService, {
    async *complete() {
      yield* [];
      throw new ServiceError('NOT_IMPLEMENTED', 'Reports are delivered.');
    },
    async *completeAs(messages): AsyncGenerator<Event> {
      for await (const { message } of messages) {
        if (message.case === 'request') {
          requests.push(message.value);
          const { proofId } = message.value;
          const answer = next();
          if (answer instanceof ServiceError) throw answer;
          const openedEvent = { provider: 'p', model, status: 200, proofId, neutral: true };
          yield { event: { case: 'opened', value: openedEvent } };
          yield { event: { case: 'part', value: { part: { case: 'text', value: answer } } } };
          yield { event: { case: 'ending', value: { finishReason: 'stop', usage: USAGE } } };
        } else if (message.case === 'delivered') {
          delivered.push(message.value.content ?? '');
          const { proofId } = requests.at(-1)!;
          const completed = { proofId, finishReason: 'stop', usage: USAGE };
          yield { event: { case: 'completed', value: completed } };
          return;
        }
      }
    },
  });
  const dispatcher = createDispatcher({
    implementations: [implementation],
    callers: { simulation: { CompletionService: ['CompleteAs'] } },
    log: createLog({ service: 'llm-gateway', level: 'silent' }),
  });
  return {
    transport: createInProcessTransport({ caller: 'simulation', dispatcher: () => dispatcher }),
    requests,
    delivered,
    write: (...scripts) => {
      answers = scripts;
    },
    answerAs: (name) => {
      model = name;
    },
  };
};
