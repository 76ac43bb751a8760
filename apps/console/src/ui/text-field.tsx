import type { HTMLInputAutoCompleteAttribute, ReactNode } from 'react';
import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField as AriaTextField } from 'react-aria-components/TextField';
import type { TextFieldProps as AriaTextFieldProps } from 'react-aria-components/TextField';
import css from './field.module.css';

type TextFieldProps = Omit<AriaTextFieldProps, 'className' | 'children' | 'autoComplete'> & {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  placeholder?: string;
  isMultiline?: boolean;
  autoComplete?: HTMLInputAutoCompleteAttribute;
};

export const TextField = (props: TextFieldProps) => {
  const { label, hint, error, placeholder, isMultiline = false, ...rest } = props;
  return (
    <AriaTextField
      {...rest}
      className={css.field}
      isInvalid={error !== undefined}
      // Native validation would refuse every submit until `error` is gone, which a submit removes.
      validationBehavior="aria"
    >
      <Label className={css.label}>{label}</Label>
      {isMultiline ? (
        <TextArea className={css.input} placeholder={placeholder} />
      ) : (
        <Input className={css.input} placeholder={placeholder} />
      )}
      {hint !== undefined && (
        <Text slot="description" className={css.hint}>
          {hint}
        </Text>
      )}
      <FieldError className={css.error}>{error}</FieldError>
    </AriaTextField>
  );
};
