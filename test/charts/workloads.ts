import type { KubeObject, Rendering } from './helm.ts'

/** The parts of a pod that the tests look at. */
export interface Container {
  readonly name: string
  readonly image: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly restartPolicy?: string
  readonly env?: readonly {
    readonly name: string
    readonly value?: string
    readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string } }
  }[]
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[]
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[]
  readonly securityContext?: Readonly<Record<string, unknown>>
  readonly resources?: { readonly requests?: object; readonly limits?: object }
  readonly livenessProbe?: object
  readonly readinessProbe?: object
  readonly startupProbe?: object
}

export interface Pod {
  /** The object that makes it. */
  readonly owner: KubeObject
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly spec: {
    readonly containers: readonly Container[]
    readonly initContainers?: readonly Container[]
    readonly volumes?: readonly {
      readonly name: string
      readonly emptyDir?: Readonly<Record<string, unknown>>
      readonly configMap?: { readonly name: string }
      readonly secret?: { readonly secretName: string }
    }[]
    readonly [key: string]: unknown
  }
}

export function podsOf({ objects }: Rendering): readonly Pod[] {
  return objects.flatMap(({ object }) => {
    if (object.kind === 'Pod') return [podFrom(object, object as unknown as Template)]
    if (object.kind === 'Deployment') {
      return [podFrom(object, (object as unknown as { spec: { template: Template } }).spec.template)]
    }
    return []
  })
}

interface Template {
  readonly metadata: KubeObject['metadata']
  readonly spec: Pod['spec']
}

function podFrom(owner: KubeObject, { metadata, spec }: Template): Pod {
  return { owner, labels: metadata.labels ?? {}, annotations: metadata.annotations ?? {}, spec }
}

export function containersOf({ spec }: Pod): readonly Container[] {
  return [...(spec.initContainers ?? []), ...spec.containers]
}

/** The objects of a kind. */
export function kindOf({ objects }: Rendering, kind: string): readonly KubeObject[] {
  return objects.filter(({ object }) => object.kind === kind).map(({ object }) => object)
}

/** A file in a ConfigMap, by the end of the ConfigMap's name; undefined where it is not rendered. */
export function fileIn(rendering: Rendering, ending: string, file: string): string | undefined {
  const map = kindOf(rendering, 'ConfigMap').find(({ metadata }) => metadata.name.endsWith(ending))
  return (map as unknown as { data?: Readonly<Record<string, string>> } | undefined)?.data?.[file]
}

export function selects(selector: Readonly<Record<string, string>>, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value)
}
