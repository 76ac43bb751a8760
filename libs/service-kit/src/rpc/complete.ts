import type { MessageInitShape } from '@bufbuild/protobuf';
import type {
  AnswerCompleted,
  AnswerEnding,
  AnswerPiece,
  AnswerSink,
  CompleteAsMessageSchema,
  CompleteEvent,
  CompletionCall,
} from '@witan/contracts';
import { CompletionService } from '@witan/contracts/services';
import type { CallOptions } from './call.ts';
import { createChannel } from './channel.ts';
import { createClient } from './transport.ts';
import type { Client, Transport } from './transport.ts';

/**
 * Runs a model call and passes its answer to `sink`. Resolves when the certificate is durable;
 * rejects with a ServiceError.
 */
export type Complete = (
  call: CompletionCall,
  options: CallOptions,
  sink: AnswerSink,
) => Promise<AnswerCompleted>;

/**
 * Returns the function that runs model calls at the llm-gateway: its own function if it runs in this
 * process, otherwise an RPC whose events are passed to the sink.
 */
export const connectCompletion = (transport: Transport): Complete => {
  const client = createClient(CompletionService, transport);
  return async (call, options, sink) => {
    const direct = transport.direct?.(CompletionService.method.complete);
    if (direct) return (await direct(call, options, sink)) as AnswerCompleted;
    const request = toRequest(call, sink);
    if (sink.ending) return await completeAs(client, request, options, sink);
    return await passEvents(client.complete(request, options), sink);
  };
};

const toRequest = ({ input, ...call }: CompletionCall, { reserved }: AnswerSink) => ({
  ...call,
  announcesReserved: reserved !== undefined,
  input: input.case === 'wire' ? { case: input.case, value: toWire(input.value) } : input,
});

const toWire = ({
  body,
  ...wire
}: Extract<CompletionCall['input'], { case: 'wire' }>['value']) => ({ ...wire, json: body.bytes });

type Message = MessageInitShape<typeof CompleteAsMessageSchema>;

const completeAs = async (
  client: Client<typeof CompletionService>,
  value: ReturnType<typeof toRequest>,
  options: CallOptions,
  sink: AnswerSink,
): Promise<AnswerCompleted> => {
  const messages = createChannel<Message>(2);
  const deliver = (content: string | null): void => {
    void messages.push({ message: { case: 'delivered', value: { content: content ?? '' } } });
  };
  void messages.push({ message: { case: 'request', value } });
  try {
    return await passEvents(client.completeAs(messages, options), sink, deliver);
  } finally {
    messages.end();
  }
};

/**
 * Passes the events of an answer to a sink, and returns the last one. `deliver` is called with the
 * text that an editing caller delivered.
 */
export const passEvents = async (
  events: AsyncIterable<CompleteEvent>,
  sink: AnswerSink,
  deliver?: (content: string | null) => void,
): Promise<AnswerCompleted> => {
  let completed: AnswerCompleted | undefined;
  for await (const { event } of events) {
    let drained: Promise<void> | undefined;
    if (event.case === 'opened') sink.opened(event.value);
    else if (event.case === 'wire') drained = sink.bytes(event.value);
    else if (event.case === 'part') drained = sink.piece(event.value.part as AnswerPiece);
    else if (event.case === 'refused') sink.refused(event.value);
    else if (event.case === 'reserved') sink.reserved?.();
    else if (event.case === 'ending') void sink.ending!(event.value as AnswerEnding).then(deliver);
    else if (event.case === 'completed') completed = event.value as AnswerCompleted;
    if (drained) await drained;
  }
  if (!completed) throw new Error('The events of an answer ended without `completed`.');
  return completed;
};
