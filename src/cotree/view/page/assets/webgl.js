// The little of WebGL that the picture needs: two programs, buffers, and what is drawn with them.

const SOLID_VERTEX = `#version 300 es
in vec3 position; in vec3 normal;
uniform mat4 model, view; uniform vec3 up; uniform float floorHeight, shadow;
out vec3 at; out vec3 n;
void main() {
  vec4 p = model * vec4(position, 1.0);
  p.xyz -= shadow * (dot(p.xyz, up) - floorHeight) * up;
  at = p.xyz; n = mat3(model) * normal;
  gl_Position = view * p;
}`;

const SOLID_FRAGMENT = `#version 300 es
precision highp float;
in vec3 at; in vec3 n;
uniform vec3 eye, up, key; uniform vec4 colour; uniform float flatness, glow;
out vec4 pixel;
void main() {
  if (flatness > 0.5) { pixel = colour; return; }
  vec3 toEye = normalize(eye - at), m = normalize(n);
  if (dot(m, toEye) < 0.0) m = -m;
  vec3 base = pow(colour.rgb, vec3(2.2));
  float sky = 0.5 + 0.5 * dot(m, up), lamp = max(dot(m, key), 0.0), front = max(dot(m, toEye), 0.0);
  float shine = pow(max(dot(m, normalize(key + toEye)), 0.0), 48.0);
  float rim = pow(1.0 - front, 3.0);
  vec3 light = base * (mix(0.16, 0.46, sky) + 0.62 * lamp + 0.12 * front) + vec3(0.16 * shine + 0.05 * rim);
  pixel = vec4(pow(light + glow * vec3(0.22), vec3(1.0 / 2.2)), 1.0) * colour.a;
}`;

const LINE_VERTEX = `#version 300 es
in vec3 position; uniform mat4 model, view; out vec3 at;
void main() { vec4 p = model * vec4(position, 1.0); at = p.xyz; gl_Position = view * p; }`;

const LINE_FRAGMENT = `#version 300 es
precision highp float;
in vec3 at; uniform vec4 colour; uniform vec3 middle; uniform float fade; out vec4 pixel;
void main() {
  float s = fade > 0.0 ? 1.0 - smoothstep(0.35, 1.0, distance(at, middle) / fade) : 1.0;
  pixel = vec4(colour.rgb, 1.0) * colour.a * s;
}`;

/** A program with its uniforms: set({name: value}) takes numbers, vectors and matrices. */
class Program {
  constructor(gl, vertex, fragment) {
    this.gl = gl;
    this.program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(this.program, shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    }
    gl.bindAttribLocation(this.program, 0, "position");
    gl.bindAttribLocation(this.program, 1, "normal");
    gl.linkProgram(this.program);
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(this.program));
    this.places = {};
    const count = gl.getProgramParameter(this.program, gl.ACTIVE_UNIFORMS);
    for (let i = 0; i < count; i++) {
      const { name } = gl.getActiveUniform(this.program, i);
      this.places[name] = gl.getUniformLocation(this.program, name);
    }
  }

  use(values = {}) {
    this.gl.useProgram(this.program);
    return this.set(values);
  }

  set(values) {
    for (const [name, x] of Object.entries(values)) {
      const place = this.places[name];
      if (typeof x === "number") this.gl.uniform1f(place, x);
      else if (x.length === 3) this.gl.uniform3fv(place, x);
      else if (x.length === 4) this.gl.uniform4fv(place, x);
      else this.gl.uniformMatrix4fv(place, false, x);
    }
    return this;
  }
}

/** Corners on the graphics card; draw() sends them through the program in use. */
class Buffer {
  constructor(gl, arrays, mode) {
    this.gl = gl;
    this.mode = mode;
    this.count = arrays[0].length / 3;
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    arrays.forEach((values, slot) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(values), gl.STATIC_DRAW);
      gl.enableVertexAttribArray(slot);
      gl.vertexAttribPointer(slot, 3, gl.FLOAT, false, 0, 0);
    });
    gl.bindVertexArray(null);
  }

  draw() {
    this.gl.bindVertexArray(this.array);
    this.gl.drawArrays(this.mode, 0, this.count);
  }
}
