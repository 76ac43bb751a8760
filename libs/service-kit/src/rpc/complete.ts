import type {
  AnswerCompleted,
  AnswerPiece,
  AnswerSink,
  CompleteEvent,
  CompletionCall,
} from '@witan/contracts';
import { CompletionService } from '@witan/contracts/services';
import type { CallOptions } from './call.ts';
import { createClient } from './transport.ts';
import type { Transport } from './transport.ts';

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
 * process, otherwise an RPC whose events are passed to the sink. Calls of the RPC cannot edit the
 * answer; those are made with `CompleteAs`.
 */
export const connectCompletion = (transport: Transport): Complete => {
  const client = createClient(CompletionService, transport);
  return async (call, options, sink) => {
    const direct = transport.direct?.(CompletionService.method.complete);
    if (direct) return (await direct(call, options, sink)) as AnswerCompleted;
    return await passEvents(client.complete(toRequest(call, sink), options), sink);
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

/** Passes the events of an answer to a sink, and returns the last one. */
export const passEvents = async (
  events: AsyncIterable<CompleteEvent>,
  sink: AnswerSink,
): Promise<AnswerCompleted> => {
  let completed: AnswerCompleted | undefined;
  for await (const { event } of events) {
    let drained: Promise<void> | undefined;
    if (event.case === 'opened') sink.opened(event.value);
    else if (event.case === 'wire') drained = sink.bytes(event.value);
    else if (event.case === 'part') drained = sink.piece(event.value.part as AnswerPiece);
    else if (event.case === 'refused') sink.refused(event.value);
    else if (event.case === 'reserved') sink.reserved?.();
    else if (event.case === 'completed') completed = event.value as AnswerCompleted;
    if (drained) await drained;
  }
  if (!completed) throw new Error('The events of an answer ended without `completed`.');
  return completed;
};
