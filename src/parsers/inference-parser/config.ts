import { globs, strictObject, type Field } from '../../config/fields.ts'

export interface InferenceConfig {
  readonly hosts: readonly string[]
}

export const schema: Field<InferenceConfig> = strictObject({ hosts: globs('host').default([]) })
