import { DropZone } from 'react-aria-components/DropZone';
import css from './field.module.css';
import { TextField } from './text-field.tsx';
import { notifyError } from './toast.tsx';

/** Largest file that is read, in bytes: that of the largest request body of the API. */
const FILE_BYTES_MAX = 32 * 1024 * 1024;

type DropFieldProps = { label: string; value: string; onChange: (text: string) => void };

/** A text that is pasted, or dropped as a file; it is not sent anywhere. */
export const DropField = ({ label, value, onChange }: DropFieldProps) => {
  const read = async (dropped: Promise<File>): Promise<void> => {
    try {
      const file = await dropped;
      if (file.size > FILE_BYTES_MAX) throw new Error('The file is larger than 32 MiB.');
      onChange(await file.text());
    } catch (error) {
      notifyError(error);
    }
  };
  return (
    <DropZone
      aria-label={`Drop a file: ${label}`}
      className={css.drop}
      onDrop={({ items }) => {
        const file = items.find((item) => item.kind === 'file');
        if (file) void read(file.getFile());
      }}
    >
      <TextField
        label={label}
        isMultiline
        value={value}
        onChange={onChange}
        placeholder="Paste it, or drop a file"
      />
    </DropZone>
  );
};
