import { ScalarType, toBinary } from '@bufbuild/protobuf';
import type { DescMessage, Message } from '@bufbuild/protobuf';
import { delimitedBytes, writeBytes } from './encode-frames.ts';

/** Fields with a number above it have a tag of more than one byte. */
const SHORT_FIELD_MAX = 15;

/** The only oneof of a message, with the tags of its bytes fields by name. */
type BytesOneof = { name: string; tags: ReadonlyMap<string, number> };

/**
 * Encodes a message. One that contains only bytes in a oneof, as each chunk of a streamed response
 * does, is written without the generated code, because that costs several times as much.
 */
export const encodeMessage = (schema: DescMessage, message: Message): Uint8Array => {
  const oneof = bytesOneofOf(schema);
  if (oneof && !message.$unknown) {
    const kind = (message as unknown as Record<string, { case?: string; value?: unknown }>)[
      oneof.name
    ]!;
    const tag = oneof.tags.get(kind.case ?? '');
    if (tag !== undefined && kind.value instanceof Uint8Array) return encodeBytes(tag, kind.value);
  }
  return toBinary(schema, message);
};

const encodeBytes = (tag: number, bytes: Uint8Array): Uint8Array => {
  const buffer = Buffer.allocUnsafe(delimitedBytes(bytes.length));
  writeBytes(buffer, 0, tag, bytes);
  return buffer;
};

const ONEOFS = new WeakMap<DescMessage, BytesOneof | null>();

const bytesOneofOf = (schema: DescMessage): BytesOneof | null => {
  const known = ONEOFS.get(schema);
  if (known !== undefined) return known;
  const [oneof] = schema.oneofs;
  const isOnly = oneof && schema.fields.every((field) => field.oneof === oneof);
  const tags = new Map(
    schema.fields
      .filter((field) => field.scalar === ScalarType.BYTES && field.number <= SHORT_FIELD_MAX)
      .map(({ localName, number }) => [localName, (number << 3) | 2]),
  );
  const found = isOnly && tags.size > 0 ? { name: oneof.localName, tags } : null;
  ONEOFS.set(schema, found);
  return found;
};
