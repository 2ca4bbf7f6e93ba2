import sys; sys.path.insert(0,'/tmp/w3/src')
import numpy as np, time
import cotree as ct
from cotree.system.assembly import assemble_graph
from cotree.system.regularization import *
z=(0,0,1)
def loopmech(name,joints,g=(0,0,-9.81)):
    m=ct.Mechanism(name,gravity=g); n=len(joints)
    prev=m.ground
    for i,(p,a) in enumerate(joints[:-1]):
        nxt=joints[i+1][0]
        b=m.body(f"b{i}",1.0,(np.array(p)+nxt)/2,(.1,.1,.1)); m.joint(f"j{i}",prev,b,ct.Revolute(p,a)); prev=b
    p,a=joints[-1]
    m.joint(f"j{n-1}",prev,m.ground,ct.Revolute(p,a)); return m
def show(m,search=True):
    a=assemble_graph(m,False,())
    t=time.time(); tree,rows=regularize(a,a.tree,search); dt=time.time()-t
    print(m.name,[(r.joint,r.kept,r.full,r.side_a.describe(),r.side_b.describe(),r.on_a) for r in rows][:3],"total",sum(r.kept for r in rows),"%.1f ms"%(dt*1e3))
    return rows
def fourbar(): return loopmech("4bar",[((0,0,0),z),((.6,.8,0),z),((2.4,1.4,0),z),((2.5,0,0),z)])
show(fourbar())
def sph(angles=(0,.5,1.4,2.0),flat=False):
    ax=[(np.cos(t),np.sin(t),0) for t in angles] if flat else [(np.cos(t),np.sin(t),.4*np.sin(3*t)+.2) for t in angles]
    return loopmech("spherical",[(np.array(a),a) for a in ax])
show(sph()); show(sph(flat=True))
# sarrus
def sarrus():
    y=np.array((0,1.,0)); x=np.array((1.,0,0))
    return loopmech("sarrus",[((1,0,0),y),((1.5,0,.5),y),((1,0,1),y),((0,1,1),x),((0,1.5,.5),x),((0,1,0),x)])
show(sarrus()); show(sarrus(),False)
def prrr():
    m=ct.Mechanism("3-PRRR"); E=np.eye(3)
    pl=m.body("platform",1,(0,0,0),(.1,.1,.1))
    for i in range(3):
        e=E[i]; f=E[(i+1)%3]; g=E[(i+2)%3]
        base=-1.0*f
        pts=[base*1.2, base*1.2+0.3*g, base*.6+.5*g, base*.3]
        prev=m.ground
        names=[]
        for k in range(3):
            b=m.body(f"c{i}{k}",1,pts[k],(.1,.1,.1))
            m.joint(f"J{i}{k}",prev,b,ct.Prismatic(e) if k==0 else ct.Revolute(pts[k],e)); prev=b
        m.joint(f"J{i}3",prev,pl,ct.Revolute(pts[3],e))
    return m
show(prrr())
def ladder(N):
    m=ct.Mechanism("ladder"); c=[m.body(f"crank{i}",1,(i,.5,0),(.1,.1,.1)) for i in range(N+1)]
    for i in range(N+1): m.joint(f"A{i}",m.ground,c[i],ct.Revolute((i,0,0),z))
    for i in range(N):
        b=m.body(f"coupler{i}",1,(i+.5,1,0),(.1,.1,.1)); m.joint(f"B{i}",c[i],b,ct.Revolute((i,1,0),z)); m.joint(f"C{i}",b,c[i+1],ct.Revolute((i+1,1,0),z))
    return m
show(ladder(10)); show(ladder(100))
