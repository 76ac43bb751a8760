import type { ReactNode } from 'react';
import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { NumberField as AriaNumberField } from 'react-aria-components/NumberField';
import { Text } from 'react-aria-components/Text';
import css from './field.module.css';

type NumberFieldProps = {
  label: string;
  /** The unit and what is assumed without a value. */
  hint?: ReactNode;
  error?: string | undefined;
  value: number | undefined;
  onChange: (value: number | undefined) => void;
  minValue?: number;
  maxValue?: number;
  format?: Intl.NumberFormatOptions;
};

/** A number in the reader's notation; empty is undefined. */
export const NumberField = (props: NumberFieldProps) => {
  const { label, hint, error, value, onChange, format, ...rest } = props;
  return (
    <AriaNumberField
      {...rest}
      {...(format ? { formatOptions: format } : {})}
      className={css.field}
      isInvalid={error !== undefined}
      validationBehavior="aria"
      value={value ?? NaN}
      onChange={(next) => onChange(Number.isNaN(next) ? undefined : next)}
    >
      <Label className={css.label}>{label}</Label>
      <Input className={css.input} />
      {hint !== undefined && (
        <Text slot="description" className={css.hint}>
          {hint}
        </Text>
      )}
      <FieldError className={css.error}>{error}</FieldError>
    </AriaNumberField>
  );
};
