exec(open('/tmp/w3/t.py').read().split("show(fourbar())")[0])
exec("def ladder"+open('/tmp/w3/t.py').read().split("def ladder")[1].split("show(")[0])
a=assemble_graph(ladder(100),False,())
regularize(a,a.tree,True)
t=time.time(); regularize(a,a.tree,True); print("ladder100 %.1f ms"%((time.time()-t)*1e3))
import cProfile,pstats
p=cProfile.Profile(); p.enable(); regularize(a,a.tree,True); p.disable(); pstats.Stats(p).sort_stats('cumtime').print_stats(30)
