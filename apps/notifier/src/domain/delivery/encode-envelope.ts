type Envelope = { event: string; data: object; timestamp: Date; webhookId: string };

export const encodeEnvelope = ({ webhookId, ...content }: Envelope): string => {
  const { prefix, suffix } = splitEnvelope(content);
  return `${prefix}${webhookId}${suffix}`;
};

/** An envelope split where the webhook id is inserted. */
export type SplitEnvelope = { prefix: string; suffix: string };

/**
 * Splits the text of {@link encodeEnvelope}, so that it is encoded once for all webhooks. A webhook
 * id needs no escaping in JSON.
 */
export const splitEnvelope = ({
  event,
  data,
  timestamp,
}: Omit<Envelope, 'webhookId'>): SplitEnvelope => {
  const text = JSON.stringify({ event, data, timestamp: timestamp.toISOString(), webhookId: '' });
  return { prefix: text.slice(0, -SUFFIX.length), suffix: SUFFIX };
};

const SUFFIX = '"}';
