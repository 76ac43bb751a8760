/** What is posted of an event: the bytes of this text are signed. */
export const encodeEnvelope = ({
  event,
  data,
  timestamp,
  webhookId,
}: {
  event: string;
  data: object;
  timestamp: Date;
  webhookId: string;
}): string => JSON.stringify({ event, data, timestamp: timestamp.toISOString(), webhookId });
