import protobuf from 'google-protobuf'

/** A message as field numbers and values: written and read by hand with another codec than ours. */
export type Written = readonly (readonly [field: number, value: string | Uint8Array | number | boolean | Written])[]

export function write(message: Written): Buffer {
  const writer = new protobuf.BinaryWriter()
  for (const [field, value] of message) {
    if (typeof value === 'number') writer.writeUint64(field, value)
    else if (typeof value === 'boolean') writer.writeBool(field, value)
    else if (typeof value === 'string') writer.writeString(field, value)
    else if (value instanceof Uint8Array) writer.writeBytes(field, value)
    else writer.writeBytes(field, write(value))
  }
  return Buffer.from(writer.getResultBuffer())
}

/** How the bytes of a field are to be read; a number where it is a varint. */
export type Shape = { readonly [field: number]: 'text' | 'bytes' | 'number' | Shape }

/** Throws on a field that the shape does not have: nothing goes out unnoticed. */
export function read(bytes: Uint8Array, shape: Shape): Written {
  const reader = new protobuf.BinaryReader(bytes)
  const found: [number, Written[number][1]][] = []
  while (reader.nextField()) {
    const field = reader.getFieldNumber()
    const kind = shape[field]
    if (kind === undefined) throw new Error(`field ${field} is not expected`)
    if (kind === 'number') found.push([field, reader.readUint64()])
    else if (kind === 'text') found.push([field, reader.readString()])
    else if (kind === 'bytes') found.push([field, Buffer.from(reader.readBytes()).toString('latin1')])
    else found.push([field, read(reader.readBytes(), kind)])
  }
  return found
}
