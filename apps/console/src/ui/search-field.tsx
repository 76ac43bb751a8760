import { useEffect, useState } from 'react';
import { TextField } from './text-field.tsx';

type SearchFieldProps = { label: string; value: string; onApply: (value: string) => void };

/** A filter that applies its text on Enter and when it loses the focus, not with each character. */
export const SearchField = ({ label, value, onApply }: SearchFieldProps) => {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const applyChange = (): void => {
    if (text.trim() !== value) onApply(text.trim());
  };
  return (
    <TextField
      label={label}
      value={text}
      onChange={setText}
      onBlur={applyChange}
      onKeyDown={({ key }) => {
        if (key === 'Enter') applyChange();
      }}
      placeholder="Any"
    />
  );
};
