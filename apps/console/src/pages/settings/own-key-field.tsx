import { TextField } from '../../ui/text-field.tsx';

type OwnKeyFieldProps = {
  value: string;
  onChange: (key: string) => void;
  error: string | undefined;
};

/** Asks for the key with which another one is made. */
export const OwnKeyField = (props: OwnKeyFieldProps) => (
  <TextField
    {...props}
    label="Your API key"
    type="password"
    autoComplete="off"
    hint="A key of this workspace. It is asked for again, because the new key outlives this session"
  />
);

export const OWN_KEY_MISSING = 'Enter an API key of this workspace.';
